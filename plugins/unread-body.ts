import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A body up to this size is read away, so that the connection can be used again. */
const SHORT_BYTES = 64 * 1024;
/** What a client may still send of a body that nobody reads, once its answer is out. */
const LEFT_BYTES = 1 << 20;
const LEFT_MS = 5000;
const LOOK_MS = 250;

export function mayHaveBody({ headers, httpVersionMajor }: IncomingMessage): boolean {
  return (
    httpVersionMajor === 1 &&
    (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
  );
}

/** So much of the body may be unread that the answer is to close the connection. (HTTP/2 resets the stream by itself.) */
export function isLongUnread(request: IncomingMessage): boolean {
  if (request.complete || request.httpVersionMajor !== 1) return false;
  return Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) > SHORT_BYTES;
}

/**
 * An answer may be out before the body is in: a wrong key, a full disk. The rest is then read away for a while, also
 * where the connection is to be closed: closed with bytes that nobody read, the client's side is reset and may lose
 * the answer (RFC 9112 section 9.6). An endless body is cut.
 */
export function endUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const closeSoon = () => Socket.prototype.destroySoon.call(socket);
  // Node calls it when an answer with `Connection: close` is out.
  socket.destroySoon = () => {
    if (request.complete) closeSoon();
    else socket.end();
  };
  response.once('finish', () => {
    if (request.complete) return;
    request.resume();
    const before = socket.bytesRead;
    let looks = LEFT_MS / LOOK_MS;
    request.once('end', () => {
      if (socket.writableEnded) closeSoon();
    });
    const timer = setInterval(() => {
      looks -= 1;
      const goesOn = !request.complete && !socket.destroyed;
      if (goesOn && looks > 0 && socket.bytesRead - before <= LEFT_BYTES) return;
      clearInterval(timer);
      if (goesOn) socket.destroy();
    }, LOOK_MS).unref();
  });
}
