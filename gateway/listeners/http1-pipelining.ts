import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionState } from './drain.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Http1Pipelining {
  readonly handle: RequestHandler;
  /** Resolves when the answers of the connection that are not out yet are out, or never will be. */
  settled(socket: Socket): Promise<void>;
  stateOf(socket: Socket): ConnectionState;
  /** From now on the last answer of each connection carries `Connection: close`. */
  closeConnections(sockets: Iterable<Socket>): void;
}

/** Requests of one connection that may wait for their turn; a connection with more is cut. */
const LONGEST_QUEUE = 1000;

/** The newest request of a connection with its answer, and how many wait behind the one that is being made. */
interface Queue {
  request: IncomingMessage;
  last: ServerResponse;
  waiting: number;
}

/**
 * An HTTP/1.1 client may send requests without waiting for answers, and Node would work on all of them at once
 * although the answers can only leave in order: 64 kB of short requests, never read, became 650 whole answers
 * in memory. Here the next one begins when the one before it is out. HTTP/2 has its own limit of streams.
 */
export function http1Pipelining(handle: RequestHandler): Http1Pipelining {
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
        if (isClosing) response.shouldKeepAlive = false;
        handle(request, response);
        return;
      }
      // Behind an answer that closes the connection nothing more is done (RFC 9112 section 9.6): nobody would hear of it.
      if (!socket.writable) return;
      const before = queue.last;
      queue.last = response;
      queue.request = request;
      if (isClosing) {
        response.shouldKeepAlive = false;
        before.shouldKeepAlive = true;
      }
      if (isOver(before)) {
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
      if (last === undefined || socket.destroyed || isOver(last)) return Promise.resolve();
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
      if (isOver(queue.last)) return 'idle';
      return socket.writableLength > 0 || !queue.request.complete ? 'waiting for client' : 'active';
    },
  };
}

function isOver(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}
