import type { ServiceError } from '../errors.ts';
import type { CoreAnswer } from '../http/request.ts';
import type { ProjectModel } from '../model/model.ts';
import type { PagePlan } from '../storage/page-plan.ts';
import { answer, type CacheInfo } from './answer.ts';
import { holdsWhileRecompiling, itemsTags } from './answer-tags.ts';
import { areSame, type BoundQuery, namedItems } from './bound-query.ts';
import { cachedPage } from './cached-page.ts';
import { contentTag } from './content-tag.ts';
import { type DeliveryContext, type DeliveryRequest, withModel } from './delivery-context.ts';
import { type Frame, LARGEST_PAGE, type Page, pagePieces, type StreamedPage } from './page.ts';
import { planListing } from './plan-listing.ts';
import { projectionOf } from './project-document.ts';
import type { KnownQuery, PlannedQuery } from './query-cache.ts';
import type { Reading } from './reading.ts';
import { recalledPage, remember } from './remembered-page.ts';
import { snapshotPage } from './snapshot-page.ts';
import { streamItems } from './stream-items.ts';

/** What differs between a listing, a single item and the feed. */
export interface ItemsAnswer {
  /** Keeps its plan and its page, where it is cached. */
  readonly known: KnownQuery;
  readonly frame: Frame;
  /** Narrows the plan of the query. */
  readonly narrowed?: (plan: PagePlan) => PagePlan;
  /** The documents of a feed are not cached: they would displace others. */
  readonly isFeed?: boolean;
  /** Headers beside the entity tag. */
  readonly headersOf?: (page: Page) => Readonly<Record<string, string>>;
  /** The error for a page without items. */
  readonly missing?: (info: CacheInfo) => ServiceError;
}

/** From a query to its answer: plan, page, cache information, entity tag, body. */
export function answerItems(
  context: DeliveryContext,
  request: DeliveryRequest,
  shape: ItemsAnswer,
): Promise<CoreAnswer> {
  return withModel(context, request.project, (model) => answerWith(context, request, shape, model));
}

/** Undefined: the model changed. */
async function answerWith(
  context: DeliveryContext,
  request: DeliveryRequest,
  { known, frame, narrowed, isFeed = false, headersOf, missing }: ItemsAnswer,
  model: ProjectModel,
): Promise<CoreAnswer | undefined> {
  const { channel, sequence, ifNoneMatch, assetBase } = request;
  const { query, codename } = known;
  const kept = known.planned(model);
  const recalled = kept && known.page && recalledPage(context, request.project, known.page, kept, model);
  const named = recalled ? kept.named : await namedItems(context.storage, model, query);
  const reused = kept && areSame(kept.named, named) ? kept : undefined;
  const bound: BoundQuery = { model, channel, query, named, codename };
  const { plan, elements } = reused ?? planned(context, bound, known, narrowed);
  const reading = plan && { plan, elements, ...bound };
  const page =
    recalled?.page ??
    (reading ? await readPage(context, request, reading, isFeed) : await emptyPage(context, bound));
  if (page === undefined) return undefined;
  if ('etag' in page) {
    // Content may be published while it is read, so it may show no single state.
    const info = { sequence, tags: undefined };
    return answer(ifNoneMatch, { etag: page.etag }, info, () => streamItems(context, page, frame, assetBase));
  }
  const holds = !page.pending || !plan || holdsWhileRecompiling(plan);
  const info = { sequence, tags: recalled?.tags ?? (holds ? itemsTags(bound, page) : undefined) };
  if (plan && !recalled && known.planned(model)?.plan === plan) remember(context, known, plan, page, info);
  if (missing && page.documents.length === 0) throw missing(info);
  const etag = contentTag(request, query, page);
  return answer(ifNoneMatch, headersOf ? { etag, ...headersOf(page) } : { etag }, info, () => {
    for (const shown of [page.documents, page.linked])
      context.documents.show(shown, { model, elements }, assetBase);
    return pagePieces(page, frame, assetBase);
  });
}

function planned(
  { queries, queryCost }: DeliveryContext,
  { model, channel, query, named }: BoundQuery,
  known: KnownQuery,
  narrowed: ItemsAnswer['narrowed'] = (plan) => plan,
): PlannedQuery {
  const whole = planListing(model, channel, query, named, queryCost);
  const plan = whole && narrowed(whole);
  const made = { named, plan, elements: projectionOf(model, query.elements) };
  if (known.isRepeated) known.keep(model, made);
  queries.keep(known);
  return made;
}

async function readPage(
  context: DeliveryContext,
  request: DeliveryRequest,
  reading: Reading,
  isFeed: boolean,
): Promise<Page | StreamedPage | undefined> {
  const { limit } = reading.plan;
  if (isFeed || (limit !== null && limit > LARGEST_PAGE)) return snapshotPage(context, request, reading);
  const page = await cachedPage(context, reading, request.assetBase);
  if (page === 'snapshot' || page === 'too large')
    return snapshotPage(context, request, reading, page === 'too large');
  return page?.more && limit === null ? snapshotPage(context, request, reading) : page;
}

/** Nothing can match, if the model is still the current one. */
async function emptyPage(
  { models }: DeliveryContext,
  { model, query }: BoundQuery,
): Promise<Page | undefined> {
  const current = await models.current(model.project.id);
  if (current.sequence !== model.sequence) return undefined;
  const total = query.includeTotalCount ? 0 : null;
  return { documents: [], linked: [], missing: new Set(), more: false, total, pending: false };
}
