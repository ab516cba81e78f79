import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, GatewayContext, Outcome } from '../../plugins/contract.ts';
import type { ResolvedRequest } from '../request/resolve-request.ts';

/** Nothing was answered: the client left first. Not sent to anybody; nginx counts such requests under it too. */
const CLIENT_LEFT = 499;

/**
 * The state of a request. Facets have their places from the start: objects that grow a property at a time are of a
 * new kind with each, which is slow for everybody who reads them.
 */
export function newState(
  { surface, client, bases, unknownHost }: ResolvedRequest,
  began: number,
): GatewayContext['state'] {
  const state: Record<keyof GatewayContext['state'], unknown> = {
    surface,
    client,
    bases,
    unknownHost,
    foreignHost: unknownHost,
    outcome: newOutcome(began),
    requestId: undefined,
    body: undefined,
    project: undefined,
    principal: undefined,
    quota: undefined,
    answer: undefined,
  };
  return state as GatewayContext['state'];
}

export function newOutcome(began: number): Outcome {
  return {
    began,
    cache: undefined,
    limiter: undefined,
    key: undefined,
    upstreamMilliseconds: undefined,
    status: CLIENT_LEFT,
    bytes: undefined,
    milliseconds: 0,
    aborted: false,
  };
}

/** What is known once the answer has left, or the client. */
export function complete({ req, res, state: { outcome, principal } }: Exchange, now: number): void {
  if (principal?.kind === 'key') outcome.key = principal.key;
  outcome.milliseconds = now - outcome.began;
  // An answer that was never begun still holds the 404 that Koa starts from.
  outcome.status = res.headersSent ? res.statusCode : CLIENT_LEFT;
  if (outcome.bytes === undefined) {
    const length = res.getHeader('content-length');
    if (length !== undefined) outcome.bytes = Number(length);
  }
  outcome.aborted = !isComplete(req, res);
}

/** HTTP/2 answers do not know `writableFinished`; on the fast path the last bytes may be a tick away from it. */
function isComplete(req: IncomingMessage, res: ServerResponse): boolean {
  return req.httpVersionMajor === 1 && res.destroyed ? res.writableFinished : res.writableEnded;
}
