import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, GatewayContext, Outcome } from '../../plugins/contract.ts';
import type { ResolvedRequest } from '../request/resolve-request.ts';

/** The client disconnected before there was a response. For logs and metrics only, as in nginx. */
const CLIENT_CLOSED_REQUEST = 499;

/** The state of a request. All facets are there from the start, so that V8 gives every state one hidden class. */
export function newState(
  { surface, client, bases, unknownHost }: ResolvedRequest,
  began: number,
): GatewayContext['state'] {
  const state: Record<keyof GatewayContext['state'], unknown> = {
    surface,
    client,
    bases,
    unknownHost,
    outcome: newOutcome(began),
    known: undefined,
    atLeast: undefined,
    requestId: undefined,
    trace: undefined,
    traceparent: undefined,
    body: undefined,
    bodyBytes: undefined,
    project: undefined,
    principal: undefined,
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
    status: CLIENT_CLOSED_REQUEST,
    bytes: undefined,
    milliseconds: 0,
    aborted: false,
  };
}

/** Called when the response has ended or the client has disconnected. */
export function complete({ req, res, state: { outcome, principal } }: Exchange, now: number): void {
  if (principal?.kind === 'key') outcome.key = principal.key;
  outcome.milliseconds = now - outcome.began;
  // Before the headers are sent, `statusCode` is the 404 that Koa starts from.
  outcome.status = res.headersSent ? res.statusCode : CLIENT_CLOSED_REQUEST;
  if (outcome.bytes === undefined) {
    const length = res.getHeader('content-length');
    if (length !== undefined) outcome.bytes = Number(length);
  }
  outcome.aborted = !isComplete(req, res);
}

/** HTTP/2 responses have no `writableFinished`; on the fast path it may come a tick later. */
function isComplete(req: IncomingMessage, res: ServerResponse): boolean {
  return req.httpVersionMajor === 1 && res.destroyed ? res.writableFinished : res.writableEnded;
}
