import type { CoreAnswer } from '../contract.ts';
import { matches } from '../entity-tag.ts';
import { ServiceError } from '../errors.ts';
import type { PagePlan } from '../storage/page-plan.ts';
import { spliceAssetBase } from './asset-base.ts';
import { collectDocuments, collectLinked, type Reading } from './collect-documents.ts';
import { type DeliveryContext, type DeliveryRequest, jsonAnswer, withModel } from './delivery-context.ts';
import { linkedContent, listingTag } from './list-items.ts';
import { lookUpItems } from './look-up-items.ts';
import { type DeliveryQuery, parseQuery } from './parse-query.ts';
import { planListing } from './plan-listing.ts';
import { joinPage, readyPage } from './ready-page.ts';
import { streamListing } from './stream-listing.ts';

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
  return withModel(context, request.project, async (model) => {
    const listing = planListing(model, request.channel, query, await lookUpItems(storage, model, query));
    if (!listing) {
      // Nothing was read that could have told that the model is an old one.
      const current = await context.models.current(request.project);
      if (current.sequence !== model.sequence) return undefined;
      throw notFound(codename);
    }
    const codenames = listing.codenames?.filter((one) => one === codename) ?? [codename];
    const plan: PagePlan = { ...listing, codenames };
    const page = await readyPage(context, plan, query);
    if (page === undefined) return undefined;
    if (page !== 'stepwise') {
      if (page.documents.length === 0) throw notFound(codename);
      const body = joinPage(page, { opening: OPENING, middle: MIDDLE, closing: '}}' });
      return tagged(storage.epoch, page, request, query, spliceAssetBase([body], request.assetBase));
    }
    const reading: Reading = {
      model,
      channel: request.channel,
      view: plan.view,
      projection: query.elements && new Set(query.elements),
      settings,
    };
    const read = await storage.snapshot(async (reads) => {
      const project = await reads.project(plan.project);
      if (project.modelSequence !== plan.modelSequence) return undefined;
      const items = await reads.items(plan);
      const documents = await collectDocuments(reads, reading, items, project.pending);
      const linked = await collectLinked(reads, reading, documents, query.depth, project.pending);
      return { ...project, items, documents, linked };
    });
    if (!read) return undefined;
    const [document] = read.documents;
    if (!document) throw notFound(codename);
    const { linked } = read;
    if (!linked) {
      const etag = listingTag(storage.epoch, read, request, query);
      if (matches(request.ifNoneMatch, etag)) return unchanged(etag, read.sequence);
      const { depth } = query;
      const { assetBase } = request;
      const frame = { opening: OPENING, middle: MIDDLE, tail };
      return jsonAnswer(
        streamListing(storage, reading, read.items, { depth, assetBase, frame }),
        { etag },
        read.sequence,
      );
    }
    const body = `{"item":${document.body},"modular_content":{${linkedContent(read.documents, linked)}}}`;
    return tagged(
      storage.epoch,
      read,
      request,
      query,
      spliceAssetBase([Buffer.from(body)], request.assetBase),
    );
  });
}

const OPENING = Buffer.from('{"item":');
const MIDDLE = Buffer.from(',"modular_content":{');

/** An item that was unpublished since breaks the answer off: half a document is no document. */
function tail(sent: number): string {
  if (sent === 0) throw new Error('The item was unpublished while it was sent.');
  return '}}';
}

function unchanged(etag: string, sequence: number): CoreAnswer {
  return { status: 304, headers: { etag }, body: null, sequence };
}

function tagged(
  epoch: string,
  state: { readonly sequence: number; readonly pending: boolean },
  request: DeliveryRequest,
  query: DeliveryQuery,
  body: readonly Uint8Array[],
): CoreAnswer {
  const { sequence } = state;
  const etag = listingTag(epoch, state, request, query);
  if (matches(request.ifNoneMatch, etag)) return unchanged(etag, sequence);
  return jsonAnswer(body, { etag }, sequence);
}

function notFound(codename: string): ServiceError {
  return new ServiceError('itemNotFound', `The requested content item '${codename}' was not found.`);
}
