import { ServiceError } from '../errors.ts';
import { matches } from '../http/entity-tag.ts';
import type { CoreAnswer } from '../http/request.ts';
import type { PagePlan } from '../storage/page-plan.ts';
import { holdsWhileRecompiling, itemsTags, missingItemTags, type Question } from './answer-tags.ts';
import { spliceAssetBase } from './asset-base.ts';
import { collectDocuments, collectLinked, type Reading } from './collect-documents.ts';
import { contentTag, streamTag, withDigests } from './content-tag.ts';
import {
  type DeliveryContext,
  type DeliveryRequest,
  jsonAnswer,
  type Kept,
  keeping,
  notModified,
  withModel,
} from './delivery-context.ts';
import { linkedContent } from './list-items.ts';
import { lookUpItems } from './look-up-items.ts';
import { type DeliveryQuery, parseQuery } from './parse-query.ts';
import { planListing } from './plan-listing.ts';
import { projectionOf } from './project-document.ts';
import { joinPage, readyPage } from './ready-page.ts';
import { streamListing } from './stream-listing.ts';
import { textBytes } from './text-bytes.ts';

/**
 * `GET /{project}/items/{codename}` (spec 4.1). Takes the parameters of a listing that make sense for one.
 * @throws itemNotFound (100) when it is missing, unpublished, or in none of the languages of the chain
 */
export async function getItem(
  context: DeliveryContext,
  request: DeliveryRequest,
  codename: string,
): Promise<CoreAnswer> {
  const query: DeliveryQuery = {
    ...parseQuery(request.query),
    skip: 0,
    limit: 1,
    order: null,
    includeTotalCount: false,
  };
  const { storage, settings } = context;
  const { channel, sequence } = request;
  return withModel(context, request.project, async (model) => {
    const named = await lookUpItems(storage, model, query);
    const question: Question = { model, channel, query, named, codename };
    const listing = planListing(model, channel, query, named, context.queryCost);
    if (!listing) {
      // Nothing was read that could have told that the model is an old one.
      const current = await context.models.current(request.project);
      if (current.sequence !== model.sequence) return undefined;
      throw notFound(codename, { sequence, tags: missingItemTags(question) });
    }
    const codenames = listing.codenames?.filter((one) => one === codename) ?? [codename];
    const plan: PagePlan = { ...listing, codenames };
    const tell = ({ pending }: { readonly pending: boolean }, tags: () => Kept['tags']): Kept => ({
      sequence,
      tags: pending && !holdsWhileRecompiling(plan) ? undefined : tags(),
    });
    const elements = projectionOf(model, query.elements);
    const page = await readyPage(context, plan, { depth: query.depth, elements });
    if (page === undefined) return undefined;
    if (page !== 'stepwise' && page !== 'streamed') {
      if (page.documents.length === 0)
        throw notFound(codename, { sequence, tags: missingItemTags(question) });
      const kept = {
        sequence,
        tags: itemsTags(question, [...page.documents, ...page.linked], page.missing),
      };
      const etag = contentTag(request, query, page);
      if (matches(request.ifNoneMatch, etag)) return notModified({ etag }, kept);
      const body = joinPage(page, { opening: OPENING, middle: MIDDLE, closing: '}}' });
      return jsonAnswer(spliceAssetBase([body], request.assetBase), { etag }, kept);
    }
    const reading: Reading = {
      model,
      channel,
      view: plan.view,
      projection: elements && new Set(elements),
      settings,
    };
    const read = await storage.snapshot(async (reads) => {
      const project = await reads.project(plan.project);
      if (project.modelSequence !== plan.modelSequence) return undefined;
      const items = await reads.items(plan);
      const documents = await collectDocuments(reads, reading, items, project.pending);
      const linked =
        page === 'streamed'
          ? null
          : await collectLinked(reads, reading, documents, query.depth, project.pending);
      return { ...project, items, documents, linked };
    });
    if (!read) return undefined;
    const [document] = read.documents;
    if (!document)
      throw notFound(
        codename,
        tell(read, () => missingItemTags(question)),
      );
    if (!read.linked) {
      const etag = streamTag(storage.epoch, read, request, query);
      const kept = { sequence, tags: undefined };
      if (matches(request.ifNoneMatch, etag)) return notModified({ etag }, kept);
      const { depth } = query;
      const { assetBase } = request;
      const frame = { opening: OPENING, middle: MIDDLE, tail };
      return jsonAnswer(
        streamListing(storage, reading, read.items, { depth, assetBase, frame }),
        { etag },
        kept,
      );
    }
    const { linked, missing } = read.linked;
    const kept = tell(read, () => itemsTags(question, [document, ...linked], missing));
    const etag = contentTag(request, query, await withDigests(read.documents, linked));
    if (matches(request.ifNoneMatch, etag)) return notModified({ etag }, kept);
    const body = await textBytes([
      '{"item":',
      document.body,
      ',"modular_content":{',
      ...linkedContent(read.documents, linked),
      '}}',
    ]);
    return jsonAnswer(spliceAssetBase(body, request.assetBase), { etag }, kept);
  });
}

const OPENING = Buffer.from('{"item":');
const MIDDLE = Buffer.from(',"modular_content":{');

/** An item that was unpublished since breaks the answer off: half a document is no document. */
function tail(sent: number): string {
  if (sent === 0) throw new Error('The item was unpublished while it was sent.');
  return '}}';
}

function notFound(codename: string, kept: Kept): ServiceError {
  return new ServiceError(
    'itemNotFound',
    `The requested content item '${codename}' was not found.`,
    keeping(kept),
  );
}
