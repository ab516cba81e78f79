import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { ConnectionState } from './drain.ts';
import type { RequestHandler } from './http1-pipelining.ts';

/** The highest stream there can be: none of those that are on their way is refused. */
const LAST_STREAM = 2 ** 31 - 1;

interface Session {
  readonly streams: Set<ServerHttp2Stream>;
  /** Requests that wait until the client has read more of its answers. */
  readonly waiting: (() => void)[];
}

export interface Http2Sessions {
  readonly handle: RequestHandler;
  watch(server: Http2SecureServer): void;
  /** Asks every client to begin no further streams; those on their way are answered (RFC 9113 section 6.8). */
  announceEnd(): void;
  /** Ends each session once its streams are over. */
  leave(): void;
  /** Cuts sessions without a stream: one that says goodbye while data are on their way stays (seen on Node 20). */
  sweep(): void;
  /** Undefined where the connection has no session. */
  stateOf(socket: Socket): ConnectionState | undefined;
  destroy(): void;
  /** Resolves when the streams that are open now are over. */
  settled(): Promise<void>;
}

/**
 * The HTTP/2 sessions of a listener. An answer that a client does not read stays in memory, a hundred of them on
 * one connection: once `unreadBytes` wait on a session, its next requests are begun when it has read on.
 */
export function http2Sessions(
  handle: RequestHandler,
  limits: () => { readonly unreadBytes: number; readonly stallMilliseconds: number },
): Http2Sessions {
  const sessions = new Map<ServerHttp2Session, Session>();
  const byConnection = new Map<string, Session>();

  function isFull({ streams }: Session): boolean {
    let unread = 0;
    for (const stream of streams) unread += stream.writableLength;
    return unread > limits().unreadBytes;
  }

  function readOn(session: Session): void {
    while (session.waiting.length > 0 && !isFull(session)) session.waiting.shift()!();
  }

  return {
    handle(request, response) {
      const { stream } = request as unknown as { readonly stream?: ServerHttp2Stream };
      const session =
        stream?.session === undefined ? undefined : sessions.get(stream.session as ServerHttp2Session);
      if (session === undefined || (session.waiting.length === 0 && !isFull(session))) {
        handle(request, response);
        return;
      }
      session.waiting.push(() => {
        if (!stream!.destroyed) handle(request, response);
      });
    },
    watch(server) {
      server.on('session', (session: ServerHttp2Session) => {
        const key = connectionKey(session.socket);
        const known: Session = { streams: new Set(), waiting: [] };
        sessions.set(session, known);
        byConnection.set(key, known);
        // Registered in front of the one that makes requests of streams, which is the server's own.
        session.prependListener('stream', (stream: ServerHttp2Stream) => {
          known.streams.add(stream);
          // A stream on which nothing moves, beside others that do.
          stream.setTimeout(limits().stallMilliseconds, () => stream.close());
          stream.once('close', () => {
            known.streams.delete(stream);
            readOn(known);
          });
        });
        session.once('close', () => {
          sessions.delete(session);
          byConnection.delete(key);
        });
        // A peer that breaks the protocol ends its own session, not the service.
        session.on('error', () => {});
      });
    },
    announceEnd() {
      for (const session of sessions.keys()) if (!session.destroyed) session.goaway(0, LAST_STREAM);
    },
    leave() {
      for (const session of sessions.keys()) session.close();
    },
    sweep() {
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

/** A session shows a face of its socket, not the socket; their ends are the same. */
export function connectionKey({
  remoteAddress,
  remotePort,
}: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
