import type { Http2SecureServer, Http2Session, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { ServerLimits } from '../../plugins/http/server-limits.ts';
import type { ConnectionState } from './drain.ts';
import type { RequestHandler } from './http1-pipelining.ts';
import { streamOf, wholeRequest, wholeResponse } from './http2-messages.ts';

/** The highest stream id: GOAWAY then refuses no stream in transit. */
const LAST_STREAM = 2 ** 31 - 1;
/** How much later than its limit a stalled stream or an idle session may be closed. */
const SWEEP_MS = 1000;

interface Session {
  readonly streams: Set<ServerHttp2Stream>;
  /** Requests that wait until the client has read more of its responses, by their streams. */
  readonly waiting: Map<ServerHttp2Stream, () => void>;
  /** When it began, or when its last stream ended. */
  usedAt: number;
}

export interface Http2Sessions {
  readonly handle: RequestHandler;
  watch(server: Http2SecureServer): void;
  /** Clients open no further streams; those in transit are answered (RFC 9113 section 6.8). */
  goAway(): void;
  /** Closes each session once its streams have ended. */
  closeWhenIdle(): void;
  /** Destroys sessions without a stream: `close()` leaves one open while data are in transit (seen on Node 20). */
  destroyIdle(): void;
  /** Undefined where the connection has no session. */
  stateOf(socket: Socket): ConnectionState | undefined;
  destroy(): void;
  /** Resolves when the streams that are open now have ended. */
  settled(): Promise<void>;
}

/**
 * The HTTP/2 sessions of a listener. A response that a client does not read stays in memory, and one connection may
 * have a hundred: while more than `unreadBytes` wait on a session, its next requests wait too.
 */
export function http2Sessions(
  handle: RequestHandler,
  limits: () => Pick<ServerLimits['http2'], 'unreadBytes' | 'stallMilliseconds' | 'idleMilliseconds'>,
): Http2Sessions {
  const sessions = new Map<Http2Session, Session>();
  const byConnection = new Map<string, Session>();
  const limited = new WeakSet<ServerHttp2Stream>();

  function isFull({ streams }: Session): boolean {
    let unread = 0;
    for (const stream of streams) unread += stream.writableLength;
    return unread > limits().unreadBytes;
  }

  function startWaiting(session: Session): void {
    for (const [stream, start] of session.waiting) {
      if (isFull(session)) return;
      session.waiting.delete(stream);
      if (!stream.destroyed) start();
    }
  }

  /** For stalled streams beside active ones. Most have ended by then: a timer for each took 4 of 41 µs of a request. */
  function limitStreams(): void {
    for (const { streams } of sessions.values()) {
      for (const stream of streams) {
        if (limited.has(stream)) continue;
        limited.add(stream);
        stream.setTimeout(limits().stallMilliseconds, () => stream.close());
      }
    }
  }

  function closeIdle(): void {
    // One that begins has time for its first stream.
    const before = performance.now() - Math.max(limits().idleMilliseconds, SWEEP_MS);
    for (const [session, { streams, usedAt }] of sessions)
      if (streams.size === 0 && usedAt <= before) session.close();
  }

  return {
    handle(request, response) {
      const stream = streamOf(request);
      const session = stream?.session && sessions.get(stream.session);
      if (session === undefined || (session.waiting.size === 0 && !isFull(session))) {
        handle(request, response);
        return;
      }
      // Node's messages follow what happens to the stream meanwhile.
      const [later, answer] = [wholeRequest(request), wholeResponse(response)];
      session.waiting.set(stream!, () => handle(later, answer));
    },
    watch(server) {
      const timer = setInterval(() => {
        limitStreams();
        closeIdle();
      }, SWEEP_MS).unref();
      server.once('close', () => clearInterval(timer));
      server.on('session', (session: ServerHttp2Session) => {
        const key = connectionKey(session.socket);
        const known: Session = { streams: new Set(), waiting: new Map(), usedAt: performance.now() };
        sessions.set(session, known);
        byConnection.set(key, known);
        // Before the server's own listener, which turns streams into requests.
        session.prependListener('stream', (stream: ServerHttp2Stream) => {
          known.streams.add(stream);
          stream.once('close', () => {
            known.streams.delete(stream);
            known.waiting.delete(stream);
            known.usedAt = performance.now();
            startWaiting(known);
          });
        });
        session.once('close', () => {
          sessions.delete(session);
          byConnection.delete(key);
        });
        // Without a listener a protocol error of one peer would end the process.
        session.on('error', () => {});
      });
    },
    goAway() {
      for (const session of sessions.keys()) if (!session.destroyed) session.goaway(0, LAST_STREAM);
    },
    closeWhenIdle() {
      for (const session of sessions.keys()) session.close();
    },
    destroyIdle() {
      for (const [session, { streams }] of sessions) if (streams.size === 0) session.destroy();
    },
    stateOf(socket) {
      const session = byConnection.get(connectionKey(socket));
      if (session === undefined) return undefined;
      const waits = [...session.streams].some((stream) => stream.writableLength > 0 || !stream.readableEnded);
      return waits ? 'waiting for client' : 'active';
    },
    destroy() {
      for (const session of sessions.keys()) session.destroy();
    },
    async settled() {
      const open = [...sessions.values()].flatMap(({ streams }) => [...streams]);
      await Promise.all(open.map((stream) => new Promise<void>((resolve) => stream.once('close', resolve))));
    },
  };
}

/** A session has a proxy of its socket, not the socket itself; the remote address of both is the same. */
export function connectionKey({
  remoteAddress,
  remotePort,
}: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
