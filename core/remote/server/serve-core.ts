import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import type { FollowRequest } from '../../changes/gateway-feed.ts';
import type { RunningCore } from '../../compose/create-core.ts';
import { ServiceError } from '../../errors.ts';
import { requestLogFields } from '../../http/trace.ts';
import type { CoreLog } from '../../log.ts';
import { SlowCallLog } from '../../slow-call-log.ts';
import { Cancellation } from '../../turns/cancellation.ts';
import { bodyHash, proofOf } from '../protocol/signature.ts';
import {
  HEADERS,
  type Hello,
  LARGEST_HEAD,
  LARGEST_JSON,
  PROTOCOLS,
  type RequestHead,
} from '../protocol/wire.ts';
import { authenticator } from './authenticate.ts';
import { CallMeter, type MeteredCall } from './call-meter.ts';
import { callsOf } from './calls.ts';
import { listenAt } from './listen-at.ts';
import { sendFeed } from './send-feed.ts';
import { sendAnswer, sendError, sendJson } from './send-outcome.ts';

export interface CoreServerOptions {
  readonly core: Omit<RunningCore, 'close'>;
  /** The secret that gateways and cores share. */
  readonly token: string;
  /** `host:port`, or `unix:/path`. */
  readonly listen: string;
  /** Prometheus text, for `/metrics`. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  /** From how many milliseconds on a call is a line in the log; 0 = none. */
  readonly slowMilliseconds: number;
  readonly log: CoreLog;
}

export interface RunningCoreServer {
  /** As gateways name it in their list of cores. */
  readonly address: string;
  readonly calls: Pick<CallMeter, 'figures'>;
  /** Refuses new calls and lets running ones end within the time. */
  close(drainMilliseconds: number): Promise<void>;
}

const GONE = new Error('The gateway ended the call.');

/** Answers gateways over HTTP, and `/health` and `/metrics` to everybody who reaches the address. */
export async function serveCore(options: CoreServerOptions): Promise<RunningCoreServer> {
  const { core, token, log } = options;
  const id = randomUUID();
  const check = authenticator({ core: id, token, now: () => new Date() });
  const calls = callsOf(core);
  const meter = new CallMeter(new SlowCallLog(log, options.slowMilliseconds));
  let isClosing = false;
  let running = 0;
  let settled = () => {};

  const app = new Koa();
  app.on('error', (error, ctx: Context | undefined) => {
    // Calls from gateways log their failures themselves; of those, Koa reports lost connections.
    if (ctx?.respond !== false) log.error({ err: error }, 'A call failed.');
  });
  const router = new Router();
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/health/ready', async (ctx) => {
    const ok = !isClosing && (await core.health()).ok;
    ctx.status = ok ? 200 : 503;
    ctx.body = { status: ok ? 'ok' : 'unavailable' };
  });
  router.get('/metrics', async (ctx) => {
    const { type, text } = await options.metrics();
    ctx.type = type;
    ctx.body = text;
  });
  router.get('/hello', (ctx) => {
    const nonce = ctx.get(HEADERS.nonce);
    const hello: Hello = { core: id, protocols: PROTOCOLS, proof: proofOf(token, nonce, id) };
    ctx.body = hello;
  });
  router.post('/requests', authenticated, async (ctx) => {
    const { hasBody, ...head } = JSON.parse(ctx.get(HEADERS.head)) as RequestHead;
    const { surface, method, path } = head;
    const call = begin(ctx, surface, { ...requestLogFields(head), method, path });
    const signal = new Cancellation();
    ctx.res.once('close', () => {
      if (!ctx.res.writableFinished) signal.abort(GONE);
    });
    const answer = await core.handle({
      ...head,
      signal,
      timing: call.timing,
      ...(hasBody && { body: ctx.req }),
    });
    call.answered();
    await sendAnswer(ctx.res, answer, signal, call.timing);
  });
  router.post('/feed', authenticated, async (ctx) => {
    const request = JSON.parse(ctx.get(HEADERS.head)) as FollowRequest;
    // Not awaited: a core that stops waits for calls, not for links.
    sendFeed(ctx.res, core.gatewayFeed, request).catch((error: unknown) =>
      log.warn({ err: error }, 'The changes for a gateway could not be sent; it connects again.'),
    );
  });
  router.post('/calls/:name', authenticated, async (ctx) => {
    const { name } = ctx['params'] as { readonly name: string };
    const call = calls[name];
    if (call === undefined) throw new ServiceError('noSuchResource', 'Core has no such call.');
    begin(ctx, name);
    const body = await wholeBody(ctx.req);
    if (bodyHash(body) !== ctx.get(HEADERS.head)) {
      throw new ServiceError('badRequest', 'The body is not the one that was signed.');
    }
    sendJson(ctx.res, 200, 'answer', (await call(JSON.parse(body.toString()))) ?? null);
  });
  app.use(router.routes());

  function begin(ctx: Context, name: string, logFields: object = {}): MeteredCall {
    const call = meter.begin(name, logFields);
    ctx.state['call'] = call;
    return call;
  }

  /** Of the calls from gateways: checks the signature, counts, and sends errors. */
  async function authenticated(ctx: Context, next: () => Promise<void>): Promise<void> {
    const { res } = ctx;
    ctx.respond = false;
    const refusal = check(ctx.path, ctx.req.headers);
    if (refusal) return sendJson(res, refusal.status, 'refused', { message: refusal.message });
    if (isClosing) return sendJson(res, 503, 'refused', { message: 'This core is stopping.' });
    running += 1;
    try {
      await next();
      callOf(ctx)?.end(isAborted(res) ? 'aborted' : 'answer');
    } catch (error) {
      const call = callOf(ctx);
      const isExpected = error instanceof ServiceError;
      call?.end(isAborted(res) ? 'aborted' : isExpected ? 'error' : 'failed');
      if (!isExpected) log.error({ ...call?.logFields, err: error }, 'A call failed.');
      if (res.headersSent) res.destroy();
      else sendError(res, isExpected ? error : failed(error), call?.timing);
    } finally {
      running -= 1;
      if (running === 0) settled();
    }
  }

  const server = createServer({ maxHeaderSize: 2 * LARGEST_HEAD, noDelay: true }, app.callback());
  // Gateways hold connections open and end them themselves; large uploads take their time.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  const address = await listenAt(server, options.listen);
  return {
    address,
    calls: meter,
    async close(drainMilliseconds) {
      isClosing = true;
      if (running > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, drainMilliseconds);
          settled = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Absent of links, which last as long as their gateways. */
function callOf({ state }: Context): MeteredCall | undefined {
  return state['call'] as MeteredCall | undefined;
}

function isAborted({ destroyed, writableFinished }: ServerResponse): boolean {
  return destroyed && !writableFinished;
}

function failed(cause: unknown): ServiceError {
  return new ServiceError('internal', 'An internal error occurred.', { cause });
}

async function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > LARGEST_JSON)
      throw new ServiceError('bodyTooLarge', `A call has at most ${LARGEST_JSON} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
