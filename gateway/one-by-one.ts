import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests of one connection that may wait for their turn; a connection with more is cut. */
const LONGEST_QUEUE = 1000;

/** The last answer of a connection, and how many wait behind the one that is being made. */
interface Line {
  last: ServerResponse;
  waiting: number;
}

/**
 * An HTTP/1.1 client may send requests without waiting for answers, and Node would work on all of them at once
 * although the answers can only leave in order: 64 kB of short requests, never read, became 650 whole answers
 * in memory. Here the next one begins when the one before it is out. HTTP/2 has its own limit of streams.
 */
export function oneByOne(handle: RequestHandler): RequestHandler {
  const lines = new WeakMap<Socket, Line>();
  return (request, response) => {
    if (request.httpVersionMajor !== 1) {
      handle(request, response);
      return;
    }
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined) {
      lines.set(socket, { last: response, waiting: 0 });
      handle(request, response);
      return;
    }
    const before = line.last;
    line.last = response;
    if (before.writableFinished || before.destroyed) {
      handle(request, response);
    } else if (line.waiting >= LONGEST_QUEUE) {
      socket.destroy();
    } else {
      line.waiting += 1;
      before.once('close', () => {
        line.waiting -= 1;
        if (!socket.destroyed) handle(request, response);
      });
    }
  };
}
