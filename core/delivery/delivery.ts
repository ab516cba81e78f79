import { ServiceError } from '../errors.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { splitPath } from '../http/split-path.ts';
import type { Channel } from '../model/model.ts';
import type { Storage } from '../storage/ports.ts';
import { type DeliveryContext, type DeliveryRequest, notModified } from './delivery-context.ts';
import { getItem } from './get-item.ts';
import { itemsFeed } from './items-feed.ts';
import { listItems } from './list-items.ts';
import {
  getElement,
  getTaxonomy,
  getType,
  listLanguages,
  listTaxonomies,
  listTypes,
} from './model-objects.ts';

/** What handlers share, before it is known whom they read for. */
export interface DeliveryParts extends Omit<DeliveryContext, 'storage'> {
  readonly storage: Storage;
  /** How long one statement may take; null = as long as it needs. */
  readonly statementMilliseconds: number | null;
}

/** Answers of delivery, or of preview when the channel is `latest` (spec 4.1). */
export function deliver(context: DeliveryParts, channel: Channel, request: CoreRequest): Promise<CoreAnswer> {
  const [project = '', ...segments] = splitPath(request.path);
  const answer = route(segments);
  if (!answer)
    throw new ServiceError(
      'noSuchResource',
      'There is no resource at this address. The service has /items, /items-feed, /types, /taxonomies and /languages of a project.',
    );
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ServiceError('methodNotAllowed', 'The resource can be read with GET only.', {
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
  const id = project.toLowerCase();
  const { versions } = context;
  // Asked for before the first read, so that whatever is read is at least as new.
  const { sequence } = versions;
  const { known } = request;
  if (known && !versions.changed(id, known.tags, known.sequence))
    return Promise.resolve(notModified({}, { sequence, tags: known.tags }));
  const path = [project, ...segments].map(encodeURIComponent).join('/');
  const storage = context.storage.reader({
    class: 'delivery',
    share: `${channel} ${id}`,
    signal: request.signal,
    statementMilliseconds: context.statementMilliseconds,
  });
  const { models, listings, documents, settings, queryCost } = context;
  return answer(
    // Named one by one: spreading them took 1 µs of each request.
    { storage, models, listings, documents, versions, settings, queryCost },
    {
      channel,
      sequence,
      project: id,
      segments,
      query: request.query,
      address: `${request.bases.self}/${path}`,
      assetBase: request.bases.assets,
      ifNoneMatch: request.headers['if-none-match'],
      continuation: request.headers['x-continuation'],
    },
  );
}

type Handler = (context: DeliveryContext, request: DeliveryRequest) => Promise<CoreAnswer>;

const COLLECTIONS: ReadonlyMap<string, Handler> = new Map([
  ['items', listItems],
  ['items-feed', itemsFeed],
  ['types', listTypes],
  ['taxonomies', listTaxonomies],
  ['languages', listLanguages],
]);

const OBJECTS: ReadonlyMap<
  string,
  (...parameters: [...Parameters<Handler>, codename: string]) => Promise<CoreAnswer>
> = new Map([
  ['items', getItem],
  ['types', getType],
  ['taxonomies', getTaxonomy],
]);

function route(segments: readonly string[]): Handler | undefined {
  const [collection, codename, inner, element] = segments;
  switch (segments.length) {
    case 1:
      return COLLECTIONS.get(collection ?? '');
    case 2: {
      const one = OBJECTS.get(collection ?? '');
      return one && codename !== undefined
        ? (context, request) => one(context, request, codename)
        : undefined;
    }
    case 4:
      return collection === 'types' && inner === 'elements' && codename !== undefined && element !== undefined
        ? (context, request) => getElement(context, request, codename, element)
        : undefined;
    default:
      return undefined;
  }
}
