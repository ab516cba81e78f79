import type { Socket } from 'node:net';

/** For the first request of a new connection. */
const FIRST_REQUEST_MS = 250;
/** Without a byte on an idle connection, on which the next request may be arriving. */
const NEXT_REQUEST_MS = 1000;
/** Without a byte while the client has to read its response or to send the rest of its request. */
const STALLED_MS = 5000;

export type ConnectionState = 'new' | 'idle' | 'waiting for client' | 'active';

export interface Drain {
  /** Closes connections whose time is over; the caller repeats it. */
  closeStalled(): void;
}

/**
 * Bounds how long a shutdown waits for a connection that does nothing. Node calls a connection idle only once it has
 * had a request: an unused one holds `server.close()` until the timeout for headers. Clients with a connection pool
 * open such ones after they abort a call (measured: `fetch`, aborted in the middle of a body, held the shutdown for
 * its whole time).
 */
export function drain(
  connections: () => Iterable<Socket>,
  stateOf: (socket: Socket) => ConnectionState,
  now: () => number = () => performance.now(),
): Drain {
  const began = now();
  const progress = new WeakMap<Socket, { bytes: number; at: number }>();

  function idleFor(socket: Socket): number {
    const bytes = transferred(socket);
    const last = progress.get(socket);
    if (last?.bytes === bytes) return now() - last.at;
    progress.set(socket, { bytes, at: now() });
    return 0;
  }

  function hasTimedOut(socket: Socket): boolean {
    const idle = idleFor(socket);
    switch (stateOf(socket)) {
      case 'new':
        return now() - began >= FIRST_REQUEST_MS;
      case 'idle':
        return idle >= NEXT_REQUEST_MS;
      case 'waiting for client':
        return idle >= STALLED_MS;
      case 'active':
        return false;
    }
  }

  return {
    closeStalled() {
      for (const socket of connections()) if (hasTimedOut(socket)) socket.destroy();
    },
  };
}

/**
 * Bytes that were received, and that the system has taken. Node counts as written what it still holds: a reader of a response that
 * was written at once would not get on until it has all of it. libuv knows how much that is, with TLS that of the connection below.
 */
function transferred(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  const held = (handle?._parent ?? handle)?.writeQueueSize ?? 0;
  return socket.bytesRead + socket.bytesWritten - socket.writableLength - held;
}

interface Handle {
  readonly writeQueueSize?: number;
  readonly _parent?: Handle | null;
}
