import type { Socket } from 'node:net';

/** A connection that has not brought a request by then brings none any more. */
const FIRST_REQUEST_MS = 250;
/** One that had requests and is sending the next: nothing has moved for so long. */
const NEXT_REQUEST_MS = 1000;
/** A client that neither takes its answer nor sends on what it has begun. */
const STALLED_MS = 5000;

/** What a connection is stateOf, as far as a stop is concerned. */
export type ConnectionState = 'new' | 'idle' | 'waiting for client' | 'active';

export interface Drain {
  /** Cuts the connections that nobody waits for; to be called every now and then. */
  sweep(): void;
}

/**
 * What keeps a stop from waiting for somebody who is not there. Node calls a connection idle only once it has had
 * a request: one that was opened and never used holds `server.close()` until its time for headers is over. Clients
 * with a pool of connections open such ones when they have aborted a call (measured: `fetch`, aborted in the middle
 * of a body, held the stop for as long as it may take). And a client that does not read its answer is no reason to
 * wait.
 */
export function drain(
  connections: () => Iterable<Socket>,
  stateOf: (socket: Socket) => ConnectionState,
  now: () => number = () => performance.now(),
): Drain {
  const began = now();
  const moved = new WeakMap<Socket, { bytes: number; at: number }>();

  function quietFor(socket: Socket): number {
    const bytes = socket.bytesRead + socket.bytesWritten;
    const last = moved.get(socket);
    if (last?.bytes === bytes) return now() - last.at;
    moved.set(socket, { bytes, at: now() });
    return 0;
  }

  function isOver(socket: Socket): boolean {
    const quiet = quietFor(socket);
    switch (stateOf(socket)) {
      case 'new':
        return now() - began >= FIRST_REQUEST_MS;
      case 'idle':
        return quiet >= NEXT_REQUEST_MS;
      case 'waiting for client':
        return quiet >= STALLED_MS;
      case 'active':
        return false;
    }
  }

  return {
    sweep() {
      for (const socket of connections()) if (isOver(socket)) socket.destroy();
    },
  };
}
