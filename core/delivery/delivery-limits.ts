/**
 * The operator's limits for one call of delivery or preview. A listing without a `limit` gets the largest one
 * allowed, so that it ends in a `next_page` instead of an error; a larger `limit` is an error.
 */

import { ServiceError } from '../errors.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { splitPath } from '../http/split-path.ts';
import { cancelled } from '../storage/read-scope.ts';
import type { CancelSignal } from '../turns/cancel-signal.ts';
import { endedAfter } from '../turns/ended-after.ts';
import { splitQuery } from './parse-query.ts';

/** null = none. */
export interface DeliveryLimits {
  /** Entries of a listing. */
  readonly limit: number | null;
  readonly depth: number | null;
  readonly answerBytes: number | null;
  /** Until the answer is ready; a streamed one, until it begins. */
  readonly answerMilliseconds: number | null;
  /** One statement. */
  readonly statementMilliseconds: number | null;
  /** Units one query may be estimated to cost (`storage/query-cost.ts`). */
  readonly queryCost: number | null;
}

export const NO_LIMITS: DeliveryLimits = {
  limit: null,
  depth: null,
  answerBytes: null,
  answerMilliseconds: null,
  statementMilliseconds: null,
  queryCost: null,
};

const LISTINGS: ReadonlySet<string> = new Set(['items', 'types', 'taxonomies', 'languages']);
const DEFAULT_DEPTH = 1;

/** @throws outOfBounds (1010) for too much, badRequest (2) for too large an answer, unavailable for a slow one */
export function withinLimits(
  limits: DeliveryLimits,
  request: CoreRequest,
  deliver: (request: CoreRequest) => Promise<CoreAnswer>,
): Promise<CoreAnswer> {
  if (
    limits.limit === null &&
    limits.depth === null &&
    limits.answerBytes === null &&
    limits.answerMilliseconds === null
  )
    return deliver(request);
  const limited = limitedRequest(limits, request);
  return inTime(limits, limited.signal, async (signal) =>
    sized(limits, await deliver(signal ? { ...limited, signal } : limited), signal),
  );
}

function limitedRequest(limits: DeliveryLimits, request: CoreRequest): CoreRequest {
  const [, collection = '', ...rest] = splitPath(request.path);
  const given = new Map(splitQuery(request.query).map(({ name, value }) => [name, value ?? '']));
  const added: string[] = [];
  if (limits.limit !== null && rest.length === 0 && LISTINGS.has(collection)) {
    if (!given.has('limit')) added.push(`limit=${limits.limit}`);
    else refuseAbove('limit', given.get('limit'), limits.limit);
  }
  if (limits.depth !== null && collection === 'items') {
    if (given.has('depth')) refuseAbove('depth', given.get('depth'), limits.depth);
    else if (limits.depth < DEFAULT_DEPTH) added.push(`depth=${limits.depth}`);
  }
  if (added.length === 0) return request;
  return { ...request, query: [...(request.query === '' ? [] : [request.query]), ...added].join('&') };
}

/** A value that is no number passes here; `parse-query` reports it. */
function refuseAbove(name: string, value: string | undefined, most: number): void {
  if (Number(value) > most)
    throw new ServiceError('outOfBounds', `'${name}' can be at most ${most} in this service.`);
}

/** Reading stops when the time is up. */
function inTime(
  { answerMilliseconds: most }: DeliveryLimits,
  caller: CancelSignal | undefined,
  work: (signal: CancelSignal | undefined) => Promise<CoreAnswer>,
): Promise<CoreAnswer> {
  if (most === null) return work(caller);
  const message = `The answer was not ready within ${most} ms. Ask for less at a time: a smaller 'limit' or 'depth', fewer 'elements'.`;
  return endedAfter(most, caller, work, () => new ServiceError('unavailable', message));
}

/** A streamed answer is sent only when its size is known: a part of one would be no answer. */
async function sized(
  { answerBytes: most }: DeliveryLimits,
  answer: CoreAnswer,
  signal: CancelSignal | undefined,
): Promise<CoreAnswer> {
  if (most === null || answer.body === null) return answer;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > most) {
      const message = `The answer would have more than ${most} bytes. Ask for less at a time: a smaller 'limit' or 'depth', fewer 'elements'.`;
      throw new ServiceError('badRequest', message);
    }
    // A part must not be taken for the whole.
    if (signal?.aborted) throw cancelled();
    chunks.push(chunk);
  }
  return { ...answer, body: chunks };
}
