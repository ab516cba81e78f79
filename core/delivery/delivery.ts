import { isFollowed } from '../changes/change-feed.ts';
import { ServiceError } from '../errors.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { SurfaceRouter, toPath } from '../http/router.ts';
import { splitPath } from '../http/split-path.ts';
import type { Channel } from '../model/model.ts';
import type { Storage } from '../storage/ports.ts';
import { notModified } from './answer.ts';
import { type DeliveryContext, MODEL_ATTEMPTS } from './delivery-context.ts';
import { deliveryRoutes } from './routes.ts';

/** What handlers share; `deliver` makes the reader of each request. */
export interface DeliveryParts extends Omit<DeliveryContext, 'storage' | 'attempts' | 'hasCommits'> {
  readonly storage: Storage;
  /** Longest time of one statement; null = unbounded. */
  readonly statementMilliseconds: number | null;
}

/**
 * Answers of delivery, or of preview when the channel is `latest` (spec 4.1).
 * @param source is read: the primary by default
 * @param sequence everything read is at least as new, because it is taken before the first read
 */
export function deliver(
  context: DeliveryParts,
  channel: Channel,
  request: CoreRequest,
  source: Pick<Storage, 'reader'> = context.storage,
  sequence = context.versions.sequence,
): Promise<CoreAnswer> {
  const [project = '', ...segments] = splitPath(request.path);
  const path = toPath(segments);
  const { route, parameters } = router.find('GET', path);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ServiceError('methodNotAllowed', 'The resource can be read with GET only.', {
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
  const id = project.toLowerCase();
  const { versions } = context;
  const { known } = request;
  // Where commits of other processes may be missing, the database decides.
  if (known && isFollowed(context.storage) && !versions.changed(id, known.tags, known.sequence))
    return Promise.resolve(notModified({}, { sequence, tags: known.tags }));
  const storage = source.reader({
    class: 'delivery',
    share: `${channel} ${id}`,
    signal: request.signal,
    statementMilliseconds: context.statementMilliseconds,
    timing: request.timing,
  });
  const { models, queries, listings, documents, settings, queryCost } = context;
  const hasCommits = () => hasRequiredCommits(context.storage);
  // A replica that lacks the newest model has it in no further attempt.
  const attempts = source === context.storage ? MODEL_ATTEMPTS : 2;
  return route.handler(
    // Spreading them takes 1 µs.
    { storage, models, queries, listings, documents, versions, hasCommits, settings, queryCost, attempts },
    {
      channel,
      sequence,
      project: id,
      segments,
      query: request.query,
      address: `${request.bases.self}/${encodeURIComponent(project)}${path}`,
      assetBase: request.bases.assets,
      ifNoneMatch: request.headers['if-none-match'],
      continuation: request.headers['x-continuation'],
    },
    parameters,
  );
}

/**
 * Whether the versions of tags have every commit that an answer has to show. Where other processes commit, core has waited
 * for those that the request requires; a plain read may lack what the feed has not brought yet, as one from the cache of a
 * gateway may.
 */
function hasRequiredCommits(storage: Storage): boolean {
  if (storage.completeUntil !== Number.POSITIVE_INFINITY) return isFollowed(storage);
  return storage.caughtUp('now') === undefined;
}

const router = new SurfaceRouter(
  deliveryRoutes,
  'There is no resource at this URL. The service has /items, /items-feed, /types, /taxonomies and /languages of a project.',
);
