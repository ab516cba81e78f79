import { createServer, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { ServerLimits } from '../plugins/limits/server-limits.ts';
import type { Certificate } from './certificate.ts';
import { answerMalformed, type MalformedOptions } from './malformed.ts';
import { oneByOne, type RequestHandler } from './one-by-one.ts';
import { StartError } from './start-error.ts';

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
  /** Stops accepting, lets running requests finish, cuts what is left after the time. */
  close(drainMilliseconds: number): Promise<void>;
}

/** The types leave out what both kinds of server have. */
type AnyServer = (Server | Http2SecureServer) & { closeIdleConnections(): void };

/** Slow headers are looked for this often; the library's default of 30 s would make a limit of 15 s one of 45. */
const CHECKING_MS = 1000;

export function listenHttp(options: ListenOptions): Promise<Listener> {
  const server = createServer(
    {
      maxHeaderSize: options.limits.maxHeaderSize,
      headersTimeout: options.limits.headersTimeout,
      requestTimeout: options.limits.requestTimeout,
      keepAliveTimeout: options.limits.keepAliveTimeout,
      connectionsCheckingInterval: CHECKING_MS,
      // A missing Host is refused by the pipeline, with a body.
      requireHostHeader: false,
      noDelay: true,
    },
    oneByOne(options.handle),
  );
  return listen(server, 'http', 'connection', options);
}

/** HTTP/2 and HTTP/1.1 on one port, TLS 1.2 and 1.3. */
export function listenHttps(
  options: ListenOptions & { readonly certificate: Certificate },
): Promise<Listener> {
  const { limits, certificate } = options;
  const server = createSecureServer(
    {
      ...certificate,
      minVersion: 'TLSv1.2',
      allowHTTP1: true,
      ...{ requireHostHeader: false },
      settings: { maxHeaderListSize: limits.maxHeaderSize, maxConcurrentStreams: 200 },
      maxSendHeaderBlockLength: 65_536,
    },
    oneByOne(options.handle) as unknown as Parameters<typeof createSecureServer>[1] & object,
  );
  // HTTP/1.1 on this port follows the limits of the other; this kind of server takes them as properties only.
  Object.assign(server, {
    connectionsCheckingInterval: CHECKING_MS,
    maxHeaderSize: limits.maxHeaderSize,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
  });
  return listen(server as unknown as AnyServer, 'https', 'secureConnection', options);
}

async function listen(
  server: AnyServer,
  scheme: Listener['scheme'],
  connectionEvent: string,
  options: ListenOptions,
): Promise<Listener> {
  const sockets = new Set<Socket>();
  /** HTTP/2 sessions with the number of their open streams. */
  const sessions = new Map<ServerHttp2Session, number>();
  server.on(connectionEvent, (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('session', (session: ServerHttp2Session) => {
    sessions.set(session, 0);
    const count = (change: number) => {
      const streams = sessions.get(session);
      if (streams !== undefined) sessions.set(session, streams + change);
    };
    session.on('stream', (stream) => {
      count(1);
      stream.once('close', () => count(-1));
    });
    session.once('close', () => sessions.delete(session));
    // A peer that breaks the protocol ends its own session, not the service.
    session.on('error', () => {});
  });
  // A connection on which nothing moves, say a client that stopped reading its answer.
  Object.assign(server, { timeout: options.limits.requestTimeout });
  // The client waits before it sends its body: it is told to go on when somebody wants to read that.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  answerMalformed(server, options);
  await bind(server, options);
  // Out of file handles, say: the next connection may work again.
  server.on('error', (error) => options.onServerError(error));
  const { port, address } = server.address() as AddressInfo;
  return { scheme, port, url: `${scheme}://${reachable(address)}:${port}`, close };

  async function close(drainMilliseconds: number): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const session of sessions.keys()) session.close();
    // A connection that was busy becomes idle when its answer is out, and a session that says goodbye while
    // data are on their way stays (seen on Node 20); nobody else closes them then.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const [session, streams] of sessions) if (streams === 0) session.destroy();
    }, 25);
    const limit = setTimeout(() => {
      for (const session of sessions.keys()) session.destroy();
      for (const socket of sockets) socket.destroy();
    }, drainMilliseconds);
    server.closeIdleConnections();
    await closed;
    clearInterval(sweep);
    clearTimeout(limit);
  }
}

async function bind(server: AnyServer, { host, port }: ListenOptions): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (cause) {
    throw new StartError(bindSentence((cause as NodeJS.ErrnoException).code, host, port), { cause });
  }
}

function bindSentence(code: string | undefined, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is taken by another program; stop that or set another port.`;
    case 'EACCES':
      return `Port ${port} on ${host} may not be used by this user; ports below 1024 need more rights.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `The address ${host} is not one of this machine.`;
    default:
      return `The service cannot listen on ${host}:${port}: ${code ?? 'unknown reason'}.`;
  }
}

function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIPv6(address) ? `[${address}]` : address;
}
