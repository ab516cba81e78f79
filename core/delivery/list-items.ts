import type { ProjectModel } from '../content/model.ts';
import type { CoreAnswer } from '../contract.ts';
import { entityTag, matches } from '../entity-tag.ts';
import type { PagePlan, PageResult } from '../storage/page-plan.ts';
import { spliceAssetBase } from './asset-base.ts';
import { collectDocuments, collectLinked, type Reading } from './collect-documents.ts';
import { type DeliveryContext, type DeliveryRequest, jsonAnswer, withModel } from './delivery-context.ts';
import { lookUpItems } from './look-up-items.ts';
import { pagination } from './pagination.ts';
import { type DeliveryQuery, parseQuery } from './parse-query.ts';
import { planListing } from './plan-listing.ts';
import { joinPage, readyPage } from './ready-page.ts';
import { modularContent, streamListing } from './stream-listing.ts';

/**
 * Up to so many entries a listing is read as one page; beyond, whether it has a `limit` or not, it is
 * streamed: 100,000 entries of 4 KB as one page took 1.5 GB of memory.
 */
const WHOLE = 200;

/** `GET /{project}/items` (spec 4.1): filters, order, paging, projection, linked items. */
export async function listItems(context: DeliveryContext, request: DeliveryRequest): Promise<CoreAnswer> {
  const query = parseQuery(request.query);
  return withModel(context, request.project, async (model) => {
    const unchanged = await notModified(context, model, request, query);
    if (unchanged) return unchanged;
    const plan = await plannedFor(context, model, request, query);
    if (!plan) return emptyListing(context, model, request, query);
    if ((plan.limit ?? 0) <= WHOLE) {
      const answer = await onePage(context, request, query, plan);
      if (answer !== 'stepwise') return answer;
    }
    return inSteps(context, model, request, query, plan);
  });
}

/** Undefined: the model changed. */
async function onePage(
  context: DeliveryContext,
  request: DeliveryRequest,
  query: DeliveryQuery,
  plan: PagePlan,
): Promise<CoreAnswer | 'stepwise' | undefined> {
  const { storage } = context;
  const page = await readyPage(context, { ...plan, limit: plan.limit ?? WHOLE }, query, () =>
    rememberedPage(context, plan),
  );
  if (page === undefined || page === 'stepwise') return page;
  if (page.more && plan.limit === null) return 'stepwise';
  const body = joinPage(page, {
    opening: OPENING,
    middle: MIDDLE,
    closing: closing(query, request, { ...page, count: page.documents.length }),
  });
  return jsonAnswer(
    spliceAssetBase([body], request.assetBase),
    { etag: listingTag(storage.epoch, page, request, query) },
    page.sequence,
  );
}

/** A deep page of a listing whose order is remembered, if that is still the order. */
async function rememberedPage(
  { storage, listings }: DeliveryContext,
  plan: PagePlan,
): Promise<PageResult | undefined> {
  let recalled = listings.recall(plan);
  if (recalled === 'collect') {
    const whole = { ...plan, skip: 0, limit: null };
    await storage.snapshot(async (reads) => {
      const { sequence, pending } = await reads.project(plan.project);
      // Recompiling may move items in the order without a sequence of its own.
      if (!pending && (await reads.count(plan)) <= listings.longest)
        listings.remember(plan, sequence, await reads.items(whole));
    });
    recalled = listings.recall(plan);
  }
  if (!recalled || recalled === 'collect') return undefined;
  const { items, more, sequence } = recalled;
  const page = await storage.page({ ...plan, items, skip: 0, limit: items.length });
  if (page.sequence === sequence) return { ...page, more };
  listings.forget(plan);
  return undefined;
}

const OPENING = Buffer.from('{"items":[');
const MIDDLE = Buffer.from('],"modular_content":{');

function closing(
  query: DeliveryQuery,
  request: DeliveryRequest,
  page: { readonly count: number; readonly more: boolean; readonly total: number | null },
): string {
  return `},"pagination":${JSON.stringify(pagination(query, request.address, page))}}`;
}

/** Documents behind their model, and everything that is too long for one page. */
async function inSteps(
  { storage, settings }: DeliveryContext,
  model: ProjectModel,
  request: DeliveryRequest,
  query: DeliveryQuery,
  plan: PagePlan,
): Promise<CoreAnswer | undefined> {
  const reading: Reading = {
    model,
    channel: request.channel,
    view: plan.view,
    projection: query.elements && new Set(query.elements),
    settings,
  };
  const limit = plan.limit;
  const read = await storage.snapshot(async (reads) => {
    const project = await reads.project(plan.project);
    if (project.modelSequence !== plan.modelSequence) return undefined;
    // One more than asked for tells whether there is a next page.
    const found = await reads.items({ ...plan, limit: limit === null ? null : limit + 1 });
    const total = plan.total ? await reads.count(plan) : null;
    const items = limit === null ? found : found.slice(0, limit);
    const page = { ...project, items, total, more: items.length < found.length };
    if (items.length > WHOLE) return { ...page, documents: null, linked: [] };
    const documents = await collectDocuments(reads, reading, items, project.pending);
    const linked = await collectLinked(reads, reading, documents, query.depth, project.pending);
    return linked ? { ...page, documents, linked } : { ...page, documents: null, linked: [] };
  });
  if (!read) return undefined;
  const { sequence, items, total, more, documents, linked } = read;
  const headers = { etag: listingTag(storage.epoch, read, request, query) };
  const { depth } = query;
  const { assetBase } = request;
  if (!documents) {
    const frame = {
      opening: OPENING,
      middle: MIDDLE,
      tail: (count: number) => closing(query, request, { count, more, total }),
    };
    return jsonAnswer(streamListing(storage, reading, items, { depth, assetBase, frame }), headers, sequence);
  }
  const body = Buffer.from(
    `{"items":[${documents.map((document) => document.body).join(',')}],"modular_content":{${linkedContent(documents, linked)}${closing(query, request, { count: documents.length, more, total })}`,
  );
  return jsonAnswer(spliceAssetBase([body], assetBase), headers, sequence);
}

type Documents = Awaited<ReturnType<typeof collectDocuments>>;

/** Linked items, and the components of all: each document's once, also when it is both. */
export function linkedContent(documents: Documents, linked: Documents): string {
  const roots = new Set(documents.map((document) => document.item));
  const components = documents.map((document) => document.components).filter((text) => text !== '');
  const content = modularContent(linked, (document) => !roots.has(document.item));
  return [...(content === '' ? [] : [content]), ...components].join(',');
}

async function plannedFor(
  { storage }: DeliveryContext,
  model: ProjectModel,
  request: DeliveryRequest,
  query: DeliveryQuery,
): Promise<PagePlan | null> {
  return planListing(model, request.channel, query, await lookUpItems(storage, model, query));
}

/** The tag is known before the body, so an unchanged listing costs one small read. */
async function notModified(
  { storage }: DeliveryContext,
  model: ProjectModel,
  request: DeliveryRequest,
  query: DeliveryQuery,
): Promise<CoreAnswer | undefined> {
  if (request.ifNoneMatch === undefined) return undefined;
  const project = await storage.snapshot((reads) => reads.project(model.project.number));
  const etag = listingTag(storage.epoch, project, request, query);
  return matches(request.ifNoneMatch, etag)
    ? { status: 304, headers: { etag }, body: null, sequence: project.sequence }
    : undefined;
}

/**
 * Unknown parameters are not part of the question. While documents are recompiled their index rows are still
 * the old ones, so what is answered then has a tag of its own, good until the job is done.
 */
export function listingTag(
  epoch: string,
  { sequence, pending }: { readonly sequence: number; readonly pending: boolean },
  { channel, address, assetBase }: DeliveryRequest,
  query: DeliveryQuery,
): string {
  const state = pending ? `${sequence} pending` : sequence;
  return entityTag([epoch, state, channel, address, assetBase, JSON.stringify(query.parameters)]);
}

/** Nothing can match; the sequence still has to be the model's. */
async function emptyListing(
  { storage }: DeliveryContext,
  model: ProjectModel,
  request: DeliveryRequest,
  query: DeliveryQuery,
): Promise<CoreAnswer | undefined> {
  const project = await storage.snapshot((reads) => reads.project(model.project.number));
  if (project.modelSequence !== model.sequence) return undefined;
  const tail = closing(query, request, { count: 0, more: false, total: query.includeTotalCount ? 0 : null });
  return jsonAnswer(
    [OPENING, MIDDLE, Buffer.from(tail)],
    { etag: listingTag(storage.epoch, project, request, query) },
    project.sequence,
  );
}
