import type { IncomingMessage, ServerResponse } from 'node:http';
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { ServiceError } from '../../errors.ts';
import { requestLogFields } from '../../http/trace.ts';
import type { CoreLog } from '../../log.ts';
import type { ProcessState } from '../../process-identity.ts';
import { Cancellation } from '../../turns/cancellation.ts';
import { bodyHash } from '../protocol/signature.ts';
import { HEADERS, LARGEST_JSON } from '../protocol/wire.ts';
import type { CallMeter, MeteredCall } from './call-meter.ts';
import { callsOf, type ServedCore } from './calls.ts';
import { readFollowRequest, readRequestHead } from './read-request.ts';
import { Refusal } from './refusal.ts';
import type { RunningCalls } from './running-calls.ts';
import { sendFeed } from './send-feed.ts';
import { sendAnswer, sendError, sendJson } from './send-outcome.ts';

export interface SignedRoutes {
  readonly core: ServedCore;
  readonly self: () => ProcessState;
  /** @throws Refusal for a call that core must not begin */
  readonly admit: (path: string, headers: IncomingMessage['headers']) => void;
  readonly running: RunningCalls;
  readonly meter: CallMeter;
  readonly log: CoreLog;
}

const GONE = new Error('The gateway ended the call.');

/**
 * `/requests`, `/feed` and `/calls/<name>`, for gateways.
 *
 * @returns the middleware of `/requests`, which comes before the router: that takes as long as the check of the signature
 */
export function signedRoutes(
  router: Router,
  { core, self, admit, running, meter, log }: SignedRoutes,
): Middleware {
  const functionOf = callsOf(core);
  const answerRequest = async (ctx: Context) => {
    const { req, res } = ctx;
    const { request, hasBody } = readRequestHead(req.headers[HEADERS.head] as string);
    const { surface, method, path } = request;
    const call = begin(ctx, surface, () => ({ ...requestLogFields(request), method, path }));
    const signal = endOf(res);
    const { timing } = call;
    const more = hasBody ? { signal, timing, body: req } : { signal, timing };
    // No spread: core/README.md, "Objects of each request or row".
    const answer = await core.handle(Object.assign({}, request, more));
    call.answered();
    await sendAnswer(res, answer, timing);
  };
  router.post('/feed', signed, async ({ req, res }) => {
    const request = readFollowRequest(req.headers[HEADERS.head] as string);
    // Not awaited: a core that stops waits for calls, not for links.
    sendFeed(res, core.gatewayFeed, request, self).catch((error: unknown) => {
      res.destroy();
      log.warn({ error }, 'The changes for a gateway could not be sent; it connects again.');
    });
  });
  router.post('/calls/:name', signed, async (ctx) => {
    const { req, res } = ctx;
    const { name } = ctx['params'] as { readonly name: string };
    const run = functionOf(name);
    begin(ctx, name);
    const body = await wholeBody(req);
    if (bodyHash(body) !== req.headers[HEADERS.head]) {
      throw new Refusal(401, 'The body is not the one that was signed.');
    }
    sendJson(res, 200, 'answer', await run(body, endOf(res)));
  });
  return (ctx, next) =>
    ctx.req.url === '/requests' && ctx.req.method === 'POST' ? signed(ctx, () => answerRequest(ctx)) : next();

  function begin(ctx: Context, name: string, logFields?: () => object): MeteredCall {
    const call = meter.begin(name, logFields);
    ctx.state['call'] = call;
    return call;
  }

  /** Checks the signature, counts the call, and sends its failure. */
  async function signed(ctx: Context, next: () => Promise<void>): Promise<void> {
    const { req, res, path } = ctx;
    ctx.respond = false;
    running.begin();
    try {
      admit(path, req.headers);
      await next();
      callOf(ctx)?.end(isAborted(res) ? 'aborted' : 'answer');
    } catch (error) {
      sendFailure(ctx, error);
    } finally {
      // A core that stops lets the gateway read the answer.
      if (callOf(ctx) === undefined || res.writableFinished || res.destroyed) running.end();
      else res.once('close', () => running.end());
    }
  }

  function sendFailure(ctx: Context, error: unknown): void {
    const { res } = ctx;
    const call = callOf(ctx);
    const isExpected = error instanceof ServiceError || error instanceof Refusal;
    call?.end(isAborted(res) ? 'aborted' : isExpected ? 'error' : 'failed');
    if (res.destroyed) return;
    if (!isExpected) log.error({ ...call?.logFields(), error }, 'A call failed.');
    // So that the gateway never takes a part for the whole.
    if (res.headersSent) res.destroy();
    else if (error instanceof Refusal) sendJson(res, error.status, 'refused', { message: error.message });
    else sendError(res, error instanceof ServiceError ? error : internal(), call?.timing);
  }
}

/** Fires when the gateway ends the call. */
function endOf(res: ServerResponse): Cancellation {
  const signal = new Cancellation();
  res.once('close', () => {
    if (!res.writableFinished) signal.abort(GONE);
  });
  return signal;
}

/** Absent of links, which last as long as their gateways, and of refused calls. */
function callOf({ state }: Context): MeteredCall | undefined {
  return state['call'] as MeteredCall | undefined;
}

/** The gateway ended the call. */
function isAborted({ destroyed, writableFinished }: ServerResponse): boolean {
  return destroyed && !writableFinished;
}

function internal(): ServiceError {
  return new ServiceError('internal', 'An internal error occurred.');
}

async function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > LARGEST_JSON) throw new Refusal(413, `A call has at most ${LARGEST_JSON} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
