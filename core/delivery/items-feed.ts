import { ServiceError } from '../errors.ts';
import { entityTag, matches } from '../http/entity-tag.ts';
import type { CoreAnswer } from '../http/request.ts';
import { holdsWhileRecompiling, itemsTags } from './answer-tags.ts';
import { spliceAssetBase } from './asset-base.ts';
import { collectDocuments, type Reading } from './collect-documents.ts';
import { contentTag, withDigests } from './content-tag.ts';
import {
  type DeliveryContext,
  type DeliveryRequest,
  jsonAnswer,
  notModified,
  withModel,
} from './delivery-context.ts';
import { lookUpItems } from './look-up-items.ts';
import { type DeliveryQuery, parseQuery } from './parse-query.ts';
import { planListing } from './plan-listing.ts';
import { projectionOf } from './project-document.ts';
import { separated, textBytes } from './text-bytes.ts';

/** Entries of one page of the feed. */
const PAGE = 100;

/**
 * `GET /{project}/items-feed`: everything that matches, page by page through `X-Continuation`, components in
 * `modular_content` but no linked items. In codename order a continuation names the last codename, so that
 * it holds still while others publish; with an order of the caller's it counts.
 */
export async function itemsFeed(context: DeliveryContext, request: DeliveryRequest): Promise<CoreAnswer> {
  const parsed = parseQuery(request.query);
  const query: DeliveryQuery = { ...parsed, includeTotalCount: false, depth: 0 };
  const { storage, settings } = context;
  const question = entityTag([
    storage.epoch,
    request.channel,
    request.project,
    JSON.stringify(query.parameters),
  ]);
  const at = readToken(request.continuation, question);
  return withModel(context, request.project, async (model) => {
    const named = await lookUpItems(storage, model, query);
    const plan = planListing(
      model,
      request.channel,
      { ...query, limit: PAGE + 1, skip: at.skip ?? 0 },
      named,
      context.queryCost,
    );
    const read = await storage.snapshot(async (reads) => {
      const project = await reads.project(model.project.number);
      if (project.modelSequence !== model.sequence) return undefined;
      if (!plan) return { ...project, documents: [], more: false };
      const elements = projectionOf(model, query.elements);
      const reading: Reading = {
        model,
        channel: request.channel,
        view: plan.view,
        projection: elements && new Set(elements),
        settings,
      };
      const items = await reads.items(at.after === undefined ? plan : { ...plan, after: at.after });
      const documents = await collectDocuments(reads, reading, items.slice(0, PAGE), project.pending);
      return { ...project, documents, more: items.length > PAGE };
    });
    if (!read) return undefined;
    const { documents, more, pending } = read;
    const { channel, sequence } = request;
    const tags =
      plan && pending && !holdsWhileRecompiling(plan)
        ? undefined
        : itemsTags({ model, channel, query, named }, documents, []);
    const components = documents.map((document) => document.components).filter((text) => text !== '');
    const body = await textBytes([
      '{"items":[',
      ...separated(documents.map((document) => document.body)),
      '],"modular_content":{',
      ...separated(components),
      '}}',
    ]);
    const next: Position = query.order
      ? { skip: (at.skip ?? 0) + PAGE }
      : { after: documents.at(-1)?.codename ?? '' };
    // The token of the next page is part of the answer, and holds the epoch.
    const asked = { ...request, address: `${request.address} ${question}` };
    const headers = {
      etag: contentTag(asked, query, { ...(await withDigests(documents, [])), more }),
      vary: 'X-Continuation',
      ...(more ? { 'x-continuation': writeToken(next, question) } : {}),
    };
    const kept = { sequence, tags };
    if (matches(request.ifNoneMatch, headers.etag)) return notModified(headers, kept);
    return jsonAnswer(spliceAssetBase(body, request.assetBase), headers, kept);
  });
}

interface Position {
  readonly after?: string;
  readonly skip?: number;
}

function writeToken(position: Position, question: string): string {
  return Buffer.from(JSON.stringify({ ...position, question })).toString('base64url');
}

function readToken(token: string | undefined, question: string): Position {
  if (token === undefined || token === '') return {};
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (typeof read === 'object' && read !== null && 'question' in read && read.question === question) {
      const { after, skip } = read as Position;
      if (typeof after === 'string') return { after };
      if (typeof skip === 'number' && Number.isSafeInteger(skip) && skip >= 0) return { skip };
    }
  } catch {}
  throw new ServiceError(
    'badRequest',
    'The continuation token does not belong to this request; start the feed again without it.',
  );
}
