import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer, type Settings } from 'node:http2';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { reachableHost, urlHost } from '../../config/url-host.ts';
import { limitRequestTimes } from '../../core/contract.ts';
import type { ServerLimits } from '../../plugins/http/server-limits.ts';
import type { Certificate } from './certificate.ts';
import { drain } from './drain.ts';
import { type Http1Pipelining, http1Pipelining, type RequestHandler } from './http1-pipelining.ts';
import { HTTP2_MESSAGES } from './http2-messages.ts';
import { connectionKey, type Http2Sessions, http2Sessions } from './http2-sessions.ts';
import { listenError } from './listen-error.ts';
import { answerMalformed, type MalformedOptions, refuseOtherVersions } from './malformed-requests.ts';
import { writeWaiting } from './ready-writes.ts';
import { tlsOptions } from './tls-options.ts';

export interface ListenOptions extends MalformedOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly limits: ServerLimits;
  readonly handle: RequestHandler;
  readonly onServerError: (error: Error) => void;
}

export interface Listener {
  readonly scheme: 'http' | 'https';
  readonly port: number;
  /** `http://127.0.0.1:8080`, the address a client on this machine can use. */
  readonly url: string;
  /** Connections that are open now. */
  readonly connections: number;
  /** New limits for further requests, and the certificate for further handshakes. */
  update(limits: ServerLimits, certificate: Certificate | undefined): void;
  /** Resolves when every request that runs now has ended. */
  settled(): Promise<void>;
  /** From now on responses over HTTP/1.1 carry `Connection: close`. */
  closeConnections(): void;
  /** Stops accepting, lets running requests finish, destroys the remaining connections after the time. */
  close(drainMilliseconds: number): Promise<void>;
}

/** Both kinds of server have the method; the types of one lack it. */
type AnyServer = (Server | Http2SecureServer) & { closeIdleConnections?(): void };

/** How often Node checks for slow headers; its default of 30 s would make a limit of 15 s one of 45. */
const CHECKING_MS = 1000;
/** For requests that clients sent on idle connections before they could know that the service stops. */
const IN_FLIGHT_MS = 200;

export function listenHttp(options: ListenOptions): Promise<Listener> {
  const pipelining = http1Pipelining(
    refuseOtherVersions(options.handle, options),
    () => server.keepAliveTimeout > 0,
  );
  const server = createServer(
    {
      connectionsCheckingInterval: CHECKING_MS,
      // A missing Host is refused by the pipeline, with a body.
      requireHostHeader: false,
      noDelay: true,
    },
    pipelining.handle,
  );
  return listen(server, 'http', pipelining, options);
}

/** HTTP/2 and HTTP/1.1 on one port, TLS 1.2 and 1.3. */
export function listenHttps(
  options: ListenOptions & { readonly certificate: Certificate },
): Promise<Listener> {
  let { limits } = options;
  const pipelining = http1Pipelining(
    refuseOtherVersions(options.handle, options),
    () => limits.keepAliveTimeout > 0,
  );
  const sessions = http2Sessions(pipelining.handle, () => limits.http2);
  const server = createSecureServer({
    ...tlsOptions(options.certificate),
    ...HTTP2_MESSAGES,
    allowHTTP1: true,
    handshakeTimeout: limits.headersTimeout,
    settings: http2Settings(limits),
    maxSendHeaderBlockLength: 65_536,
    // Node sets it for HTTP/2, and in a server for HTTPS alone, not for HTTP/1.1 beside HTTP/2 (Node 20.20): the end of a
    // response would wait for the client's acknowledgement.
    noDelay: true,
  });
  server.on('request', sessions.handle);
  // A server for HTTP/2 takes these as properties only.
  Object.assign(server, { connectionsCheckingInterval: CHECKING_MS, requireHostHeader: false });
  sessions.watch(server);
  return listen(server, 'https', pipelining, options, {
    sessions,
    update(next, certificate) {
      if (certificate !== undefined) server.setSecureContext(tlsOptions(certificate));
      server.updateSettings(http2Settings(next));
      limits = next;
    },
  });
}

function http2Settings({ maxHeaderSize, http2 }: ServerLimits): Settings {
  return { maxHeaderListSize: maxHeaderSize, maxConcurrentStreams: http2.streams };
}

/** The part that only a server with TLS and HTTP/2 has. */
interface Secure {
  readonly sessions: Http2Sessions;
  update(limits: ServerLimits, certificate: Certificate | undefined): void;
}

async function listen(
  server: AnyServer,
  scheme: Listener['scheme'],
  pipelining: Http1Pipelining,
  options: ListenOptions,
  secure?: Secure,
): Promise<Listener> {
  const sockets = new Set<Socket>();
  /** Connections before the end of their TLS handshake. */
  const handshaking = new Map<string, Socket>();
  if (secure !== undefined) {
    server.on('connection', (socket: Socket) => {
      const key = connectionKey(socket);
      handshaking.set(key, socket);
      socket.once('close', () => handshaking.delete(key));
    });
  }
  server.on(secure === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    handshaking.delete(connectionKey(socket));
    sockets.add(socket);
    // Node closes the connection in the listener behind; with TLS the end can come in the turn of the last request.
    socket.prependListener('end', writeWaiting);
    socket.once('close', () => sockets.delete(socket));
  });
  let most = options.limits.connections;
  if (cluster.isWorker) {
    server.on('connection', (socket: Socket) => {
      if (sockets.size + handshaking.size > most) socket.destroy();
    });
  }
  keepUnsent(server, sockets);
  applyLimits(server, options.limits);
  // The plugin `limits` sends `100 Continue` when the body is first read.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  answerMalformed(server, options);
  await bind(server, options, secure ? 'HEADWATER_TLS_PORT' : 'HEADWATER_PORT');
  // For example EMFILE: a later connection may work again.
  server.on('error', (error) => options.onServerError(error));
  const { port, address } = server.address() as AddressInfo;
  return {
    scheme,
    port,
    url: `${scheme}://${reachableHost(address)}:${port}`,
    get connections() {
      return sockets.size;
    },
    update(limits, certificate) {
      secure?.update(limits, certificate);
      applyLimits(server, limits);
      most = limits.connections;
    },
    async settled() {
      await Promise.all([...[...sockets].map(pipelining.settled), secure?.sessions.settled()]);
    },
    closeConnections: () => pipelining.closeConnections(sockets),
    close,
  };

  async function close(drainMilliseconds: number): Promise<void> {
    await acceptWaiting(server);
    pipelining.closeConnections(sockets);
    secure?.sessions.goAway();
    // Not yet the server's own `close`: it ends idle connections, on which a request may be in flight.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    const all = () => [...handshaking.values(), ...sockets];
    const limit = setTimeout(() => {
      secure?.sessions.destroy();
      for (const socket of all()) socket.destroy();
    }, drainMilliseconds);
    // Its times run from here, so that the wait for requests in flight adds nothing to a shutdown.
    const draining = drain(all, (socket) => secure?.sessions.stateOf(socket) ?? pipelining.stateOf(socket));
    const grace = Math.min(IN_FLIGHT_MS, drainMilliseconds);
    await Promise.race([closed, pause(grace, undefined, { ref: false })]);
    server.close();
    secure?.sessions.closeWhenIdle();
    // An active connection becomes idle when its response has ended; only this closes it then.
    const timer = setInterval(() => {
      server.closeIdleConnections?.();
      secure?.sessions.destroyIdle();
      draining.closeStalled();
    }, 25);
    server.closeIdleConnections?.();
    await closed;
    clearInterval(timer);
    clearTimeout(limit);
  }
}

/**
 * Accepts the connections in the backlog; closing the server would reset them. libuv accepts one in each turn of the
 * event loop (Node 20.20), and the first turn may be past its poll phase.
 */
async function acceptWaiting(server: AnyServer): Promise<void> {
  let accepted = true;
  const onConnection = () => {
    accepted = true;
  };
  server.on('connection', onConnection);
  const until = performance.now() + IN_FLIGHT_MS;
  while (accepted && performance.now() < until) {
    accepted = false;
    await setImmediate();
    await setImmediate();
  }
  server.off('connection', onConnection);
}

/**
 * Node closes a connection as idle when its response has ended, also where most of it is not sent yet (Node 20.20): at a
 * shutdown a slow reader of 30 MB got 4.
 */
function keepUnsent(server: AnyServer, sockets: ReadonlySet<Socket>): void {
  const closeIdle = server.closeIdleConnections?.bind(server);
  if (closeIdle === undefined) return;
  server.closeIdleConnections = () => {
    const unsent: { finished: boolean }[] = [];
    for (const socket of sockets) {
      const { _httpMessage: response } = socket as { _httpMessage?: { finished: boolean } | null };
      if (socket.writableLength > 0 && response?.finished) unsent.push(response);
    }
    for (const response of unsent) response.finished = false;
    closeIdle();
    for (const response of unsent) response.finished = true;
  };
}

/** Node reads these properties for each connection or request. */
function applyLimits(server: AnyServer, limits: ServerLimits): void {
  limitRequestTimes(server as Server, limits);
  Object.assign(server, {
    maxHeaderSize: limits.maxHeaderSize,
    // Node takes 0 for no limit: then `http1Pipelining` closes connections.
    keepAliveTimeout: limits.keepAliveTimeout,
    // For a stalled connection, say a client that stopped reading its response. One that stopped sending its request gets its
    // 408 before.
    timeout: limits.requestTimeout + 2 * CHECKING_MS,
    // A process of a cluster must not refuse a connection in this way: it would be passed to the next one, round and round
    // while all are full (Node 20.20).
    maxConnections: cluster.isWorker ? undefined : limits.connections,
  });
}

async function bind(server: AnyServer, { host, port }: ListenOptions, setting: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (cause) {
    throw listenError(`${urlHost(host)}:${port}`, `HEADWATER_HOST, ${setting}`, cause);
  }
}
