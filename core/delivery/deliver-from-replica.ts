import { ServiceError } from '../errors.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { type DeliveryParts, deliver } from './delivery.ts';

/** Answers plain reads of published content from a replica where one is current enough, all others from the primary. */
export function deliverPublished(context: DeliveryParts, request: CoreRequest): Promise<CoreAnswer> {
  const isPlain = request.atLeast === undefined && request.known === undefined;
  const replica = isPlain ? context.storage.replica?.() : undefined;
  if (replica === undefined) return deliver(context, 'published', request);
  return deliver(context, 'published', request, replica).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status < 500) throw error;
    replica.failed();
    return deliver(context, 'published', request);
  });
}
