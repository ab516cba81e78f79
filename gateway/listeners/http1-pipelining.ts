import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionState } from './drain.ts';
import { writeWaiting } from './ready-writes.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Http1Pipelining {
  readonly handle: RequestHandler;
  /** Resolves when the pending responses of the connection have ended. */
  settled(socket: Socket): Promise<void>;
  stateOf(socket: Socket): ConnectionState;
  /** From now on the last response of each connection carries `Connection: close`. */
  closeConnections(sockets: Iterable<Socket>): void;
}

/** Requests of one connection that may wait; a connection with more is closed. */
const LONGEST_QUEUE = 1000;

/** The newest request of a connection, its response, and how many wait behind the running one. */
interface Queue {
  request: IncomingMessage;
  last: ServerResponse;
  waiting: number;
}

/**
 * An HTTP/1.1 client may send requests without waiting for responses (RFC 9112 section 9.3.2). Node would run all of
 * them at once although it sends the responses in order: 64 kB of short requests from a client that reads nothing
 * became 650 whole responses in memory. Here a request starts when the response before it has ended. HTTP/2 has its
 * own limit of streams.
 *
 * @param keepsAlive whether a connection stays open for further requests; without it the last response closes it
 */
export function http1Pipelining(handle: RequestHandler, keepsAlive = () => true): Http1Pipelining {
  const queues = new WeakMap<Socket, Queue>();
  let isClosing = false;
  return {
    handle(request, response) {
      if (request.httpVersionMajor !== 1) {
        handle(request, response);
        return;
      }
      const { socket } = request;
      const queue = queues.get(socket);
      if (queue === undefined) {
        queues.set(socket, { request, last: response, waiting: 0 });
        if (isClosing || !keepsAlive()) response.shouldKeepAlive = false;
        handle(request, response);
        return;
      }
      // Requests behind a response that closes the connection are not processed (RFC 9112 section 9.6).
      if (!socket.writable) return;
      const before = queue.last;
      queue.last = response;
      queue.request = request;
      if (isClosing || !keepsAlive()) {
        response.shouldKeepAlive = false;
        before.shouldKeepAlive = true;
      }
      if (!hasEnded(before)) writeWaiting();
      if (hasEnded(before)) {
        handle(request, response);
      } else if (queue.waiting >= LONGEST_QUEUE) {
        socket.destroy();
      } else {
        queue.waiting += 1;
        before.once('close', () => {
          queue.waiting -= 1;
          if (socket.writable) handle(request, response);
        });
      }
    },
    settled(socket) {
      const last = queues.get(socket)?.last;
      if (last === undefined || socket.destroyed || hasEnded(last)) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          last.off('close', done);
          socket.off('close', done);
          resolve();
        };
        last.once('close', done);
        socket.once('close', done);
      });
    },
    closeConnections(sockets) {
      isClosing = true;
      for (const socket of sockets) {
        const last = queues.get(socket)?.last;
        if (last !== undefined) last.shouldKeepAlive = false;
      }
    },
    stateOf(socket) {
      const queue = queues.get(socket);
      if (queue === undefined) return 'new';
      if (hasEnded(queue.last)) return 'idle';
      return socket.writableLength > 0 || !queue.request.complete ? 'waiting for client' : 'active';
    },
  };
}

/** Sent responses have left their socket. One that `end` has not sent never has `writableFinished` (Node 24.21). */
function hasEnded(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed || (response.writableEnded && !response.socket);
}
