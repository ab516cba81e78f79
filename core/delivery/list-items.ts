import { matches } from '../http/entity-tag.ts';
import type { CoreAnswer } from '../http/request.ts';
import type { PagePlan, PageResult } from '../storage/page-plan.ts';
import { holdsWhileRecompiling, itemsTags, type Question } from './answer-tags.ts';
import { spliceAssetBase } from './asset-base.ts';
import { collectDocuments, collectLinked, type Reading } from './collect-documents.ts';
import { contentTag, streamTag, withDigests } from './content-tag.ts';
import {
  type DeliveryContext,
  type DeliveryRequest,
  jsonAnswer,
  notModified,
  withModel,
} from './delivery-context.ts';
import { lookUpItems } from './look-up-items.ts';
import { pagination } from './pagination.ts';
import { type DeliveryQuery, parseQuery } from './parse-query.ts';
import { planListing } from './plan-listing.ts';
import { projectionOf, type ShownDocument } from './project-document.ts';
import { joinPage, readyPage } from './ready-page.ts';
import { streamListing } from './stream-listing.ts';
import { separated, textBytes } from './text-bytes.ts';

/**
 * Up to so many entries a listing is read as one page; beyond, whether it has a `limit` or not, it is
 * streamed: 100,000 entries of 4 KB as one page took 1.5 GB of memory.
 */
const WHOLE = 200;

/** `GET /{project}/items` (spec 4.1): filters, order, paging, projection, linked items. */
export async function listItems(context: DeliveryContext, request: DeliveryRequest): Promise<CoreAnswer> {
  const query = parseQuery(request.query);
  return withModel(context, request.project, async (model) => {
    const named = await lookUpItems(context.storage, model, query);
    const question: Question = { model, channel: request.channel, query, named };
    const plan = planListing(model, request.channel, query, named, context.queryCost);
    if (!plan) return emptyListing(context, request, question);
    if ((plan.limit ?? 0) <= WHOLE) {
      const answer = await onePage(context, request, question, plan);
      if (answer !== 'stepwise' && answer !== 'streamed') return answer;
      return inSteps(context, request, question, plan, answer === 'streamed');
    }
    return inSteps(context, request, question, plan, false);
  });
}

/** Undefined: the model changed. */
async function onePage(
  context: DeliveryContext,
  request: DeliveryRequest,
  question: Question,
  plan: PagePlan,
): Promise<CoreAnswer | 'stepwise' | 'streamed' | undefined> {
  const { model, query } = question;
  const wanted = { depth: query.depth, elements: projectionOf(model, query.elements) };
  const page = await readyPage(context, { ...plan, limit: plan.limit ?? WHOLE }, wanted, () =>
    rememberedPage(context, plan),
  );
  if (page === undefined || page === 'stepwise' || page === 'streamed') return page;
  if (page.more && plan.limit === null) return 'stepwise';
  const { sequence } = request;
  const kept = { sequence, tags: itemsTags(question, [...page.documents, ...page.linked], page.missing) };
  const etag = contentTag(request, query, page);
  if (matches(request.ifNoneMatch, etag)) return notModified({ etag }, kept);
  const body = joinPage(page, {
    opening: OPENING,
    middle: MIDDLE,
    closing: closing(query, request, { ...page, count: page.documents.length }),
  });
  return jsonAnswer(spliceAssetBase([body], request.assetBase), { etag }, kept);
}

/** A deep page of a listing whose order is remembered, if that is still the order. */
async function rememberedPage(
  { storage, listings }: DeliveryContext,
  plan: PagePlan,
): Promise<PageResult | undefined> {
  let recalled = listings.recall(plan);
  if (recalled === 'collect') {
    const whole = { ...plan, skip: 0, limit: null, total: false };
    await storage.snapshot(async (reads) => {
      const { sequence, pending } = await reads.project(plan.project);
      // Recompiling may move items in the order without a sequence of its own.
      if (pending || (plan.costLimit !== null && (await reads.cost(whole)) > plan.costLimit)) return;
      if ((await reads.count(plan)) <= listings.longest)
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

/**
 * Documents behind their model, and everything that is too long for one page.
 * @param manyLinked what the page links to is known to be too much to hold
 */
async function inSteps(
  { storage, settings }: DeliveryContext,
  request: DeliveryRequest,
  question: Question,
  plan: PagePlan,
  manyLinked: boolean,
): Promise<CoreAnswer | undefined> {
  const { model, query } = question;
  const elements = projectionOf(model, query.elements);
  const reading: Reading = {
    model,
    channel: request.channel,
    view: plan.view,
    projection: elements && new Set(elements),
    settings,
  };
  const limit = plan.limit;
  const read = await storage.snapshot(async (reads) => {
    const project = await reads.project(plan.project);
    if (project.modelSequence !== plan.modelSequence) return undefined;
    const streamed = streamTag(storage.epoch, project, request, query);
    // `*` is answered with the tag of what would be sent, which is not known yet.
    if (request.ifNoneMatch?.trim() !== '*' && matches(request.ifNoneMatch, streamed)) return { streamed };
    // One more than asked for tells whether there is a next page.
    const found = await reads.items({ ...plan, limit: limit === null ? null : limit + 1 });
    const total = plan.total ? await reads.count(plan) : null;
    const items = limit === null ? found : found.slice(0, limit);
    const page = { ...project, streamed, items, total, more: items.length < found.length };
    if (manyLinked || items.length > WHOLE) return { ...page, shown: null };
    const documents = await collectDocuments(reads, reading, items, project.pending);
    const linked = await collectLinked(reads, reading, documents, query.depth, project.pending);
    return { ...page, shown: linked && { documents, ...linked } };
  });
  if (!read) return undefined;
  const { sequence } = request;
  // A stream goes on reading while others publish: what it sends may be of no one moment.
  const once = { sequence, tags: undefined };
  if (!('items' in read)) return notModified({ etag: read.streamed }, once);
  const { items, total, more, shown } = read;
  const { depth } = query;
  const { assetBase } = request;
  if (!shown) {
    if (matches(request.ifNoneMatch, read.streamed)) return notModified({ etag: read.streamed }, once);
    const frame = {
      opening: OPENING,
      middle: MIDDLE,
      tail: (count: number) => closing(query, request, { count, more, total }),
    };
    const stream = streamListing(storage, reading, items, { depth, assetBase, frame });
    return jsonAnswer(stream, { etag: read.streamed }, once);
  }
  const { documents, linked, missing } = shown;
  const kept = {
    sequence,
    tags:
      read.pending && !holdsWhileRecompiling(plan)
        ? undefined
        : itemsTags(question, [...documents, ...linked], missing),
  };
  const etag = contentTag(request, query, { ...(await withDigests(documents, linked)), more, total });
  if (matches(request.ifNoneMatch, etag)) return notModified({ etag }, kept);
  const body = await textBytes([
    '{"items":[',
    ...separated(documents.map((document) => document.body)),
    '],"modular_content":{',
    ...linkedContent(documents, linked),
    closing(query, request, { count: documents.length, more, total }),
  ]);
  return jsonAnswer(spliceAssetBase(body, assetBase), { etag }, kept);
}

type Documents = readonly ShownDocument[];

/** As `joinPage` has it: linked items, then the components of all, each document's once, also when it is both. */
export function linkedContent(documents: Documents, linked: Documents): string[] {
  const roots = new Set(documents.map((document) => document.item));
  const inner = [...documents, ...linked.filter(({ item }) => !roots.has(item))];
  return separated([
    ...linked.map(({ codename, body }) => `"${codename}":${body}`),
    ...inner.map(({ components }) => components).filter((text) => text !== ''),
  ]);
}

/** Nothing can match; the sequence still has to be the model's. */
async function emptyListing(
  { storage }: DeliveryContext,
  request: DeliveryRequest,
  question: Question,
): Promise<CoreAnswer | undefined> {
  const { model, query } = question;
  const project = await storage.snapshot((reads) => reads.project(model.project.number));
  if (project.modelSequence !== model.sequence) return undefined;
  const kept = { sequence: request.sequence, tags: itemsTags(question, [], []) };
  const page = { count: 0, more: false, total: query.includeTotalCount ? 0 : null };
  const etag = contentTag(request, query, { documents: [], linked: [], ...page });
  if (matches(request.ifNoneMatch, etag)) return notModified({ etag }, kept);
  const body = [OPENING, MIDDLE, Buffer.from(closing(query, request, page))];
  return jsonAnswer(body, { etag }, kept);
}
