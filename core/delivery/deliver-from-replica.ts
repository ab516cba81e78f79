import { EVERYTHING } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { splitPath } from '../http/split-path.ts';
import type { ReplicaReads } from '../storage/ports.ts';
import { type DeliveryParts, deliver } from './delivery.ts';

/** Answers plain reads of published content from a replica where one is current enough, all others from the primary. */
export function deliverPublished(context: DeliveryParts, request: CoreRequest): Promise<CoreAnswer> {
  const { known, atLeast = 0, isPlain = request.atLeast === undefined } = request;
  if (!isPlain || known !== undefined || atLeast === 'now') return deliver(context, 'published', request);
  const replica = context.storage.replica?.();
  const sequence = replica && shownBy(replica, atLeast, context, request);
  if (replica === undefined || sequence === undefined) return deliver(context, 'published', request);
  return deliver(context, 'published', request, replica, sequence).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status < 500) throw error;
    replica.failed();
    return deliver(context, 'published', request);
  });
}

/** @returns what the replica shows of the project at least; undefined where that is less than required */
function shownBy(
  { sequence }: ReplicaReads,
  atLeast: number,
  { versions }: DeliveryParts,
  { path }: CoreRequest,
): number | undefined {
  if (sequence >= atLeast) return sequence;
  const [project = ''] = splitPath(path);
  // Where the project has not changed since, only commits of other projects are missing.
  return versions.changed(project.toLowerCase(), [EVERYTHING], sequence) ? undefined : versions.sequence;
}
