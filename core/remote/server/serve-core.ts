import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import Router from '@koa/router';
import Koa from 'koa';
import { limitRequestTimes } from '../../http/request-timeouts.ts';
import type { CoreLog } from '../../log.ts';
import type { ProcessState } from '../../process-identity.ts';
import { SlowCallLog } from '../../slow-call-log.ts';
import { LARGEST_HEAD, PROTOCOLS } from '../protocol/wire.ts';
import { authenticator } from './authenticate.ts';
import { CallMeter } from './call-meter.ts';
import type { ServedCore } from './calls.ts';
import { endUnread } from './end-unread.ts';
import { listenAt } from './listen-at.ts';
import { Refusal } from './refusal.ts';
import { RunningCalls } from './running-calls.ts';
import { signedRoutes } from './signed-routes.ts';
import { unsignedRoutes } from './unsigned-routes.ts';

export interface CoreServerOptions {
  readonly core: ServedCore;
  /** The secret that gateways and cores share. */
  readonly token: string;
  /** `host:port`, or `unix:/path`. */
  readonly listen: string;
  /** PEM of certificate and private key; without them plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Id of the installation. */
  readonly installation?: string | undefined;
  /** What gateways show of this process. */
  readonly self: () => ProcessState;
  /** Prometheus text, for `/metrics`. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  /** From how many milliseconds on a call is a line in the log; 0 = none. */
  readonly slowMilliseconds: number;
  readonly log: CoreLog;
  /** Versions of the protocol; those of this program unless given. */
  readonly protocols?: readonly number[];
}

export interface RunningCoreServer {
  /** As gateways name it in their list of cores. */
  readonly address: string;
  readonly calls: Pick<CallMeter, 'figures'>;
  /**
   * Announces the end to gateways, then refuses new calls and lets running ones end within the time.
   */
  close(drainMilliseconds: number): Promise<void>;
}

/** Gateways have read the announcement of a stop by then: two of their hellos. */
const ANNOUNCED_MS = 500;
/** Many gateways with all their connections; more is no gateway. */
const MOST_CONNECTIONS = 20_000;
/** Gateways send their heads at once. */
const HEADERS_MS = 5000;
/** Gateways end idle connections themselves, and earlier, unless their machine was lost. */
const KEEP_ALIVE_MS = 60_000;

/** Answers gateways over HTTP. */
export async function serveCore(options: CoreServerOptions): Promise<RunningCoreServer> {
  const { core, token, installation, self, log, metrics, protocols = PROTOCOLS } = options;
  const id = randomUUID();
  const authenticate = authenticator({ core: id, token, protocols, now: () => new Date() });
  const running = new RunningCalls();
  const meter = new CallMeter(new SlowCallLog(log, options.slowMilliseconds));
  let state: 'open' | 'announced' | 'refusing' = 'open';

  const app = new Koa();
  app.on('error', (error, { respond }: Koa.Context) => {
    // Of signed calls, it is a connection that broke off.
    if (respond !== false) log.error({ error }, 'A request of a probe failed.');
  });
  const router = new Router();
  const requests = signedRoutes(router, {
    core,
    self,
    running,
    meter,
    log,
    admit(path, headers) {
      authenticate(path, headers);
      if (state === 'refusing') throw new Refusal(503, 'It is stopping.');
    },
  });
  unsignedRoutes(router, {
    token,
    core,
    self,
    hello: () => ({ core: id, protocols, stopping: state !== 'open', installation }),
    metrics,
  });
  app.use(async ({ req, url, response }, next) => {
    const { socket } = req;
    if (url.startsWith('/')) await next();
    else response.status = 400;
    if (!req.complete) endUnread(req, socket);
  });
  app.use(requests);
  app.use(router.routes());

  const server = makeServer(options.tls, app.callback());
  core.gatewayFeed.open();
  const address = await listenAt(server, options.listen);
  server.on('error', (error) => log.error({ error }, 'The listener for gateways failed.'));
  return {
    address: options.tls ? `https://${address}` : address,
    calls: meter,
    async close(drainMilliseconds) {
      const ends = performance.now() + drainMilliseconds;
      state = 'announced';
      await announced(server, Math.min(ANNOUNCED_MS, drainMilliseconds / 2));
      state = 'refusing';
      await running.allEnded(Math.max(0, ends - performance.now()));
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function makeServer(tls: CoreServerOptions['tls'], listener: RequestListener): Server {
  const options = {
    maxHeaderSize: 2 * LARGEST_HEAD,
    noDelay: true,
    connectionsCheckingInterval: HEADERS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const server = tls ? createTlsServer({ ...options, ...tls }, listener) : createServer(options, listener);
  // Large uploads take their time.
  limitRequestTimes(server, { headersTimeout: HEADERS_MS, requestTimeout: 0 });
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}

/** Waits for gateways to read that core stops; not at all where none is connected. */
async function announced(server: Server, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  while (performance.now() < until && (await connectionsOf(server)) > 0) await pause(20);
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
}
