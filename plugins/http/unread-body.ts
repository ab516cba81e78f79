import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A body up to this size is discarded, so that the connection can be used again. */
const SHORT_BYTES = 64 * 1024;
/** What a client may still send of an unread body once it has its answer. */
const REST_BYTES = 1 << 20;
const REST_MS = 5000;
const CHECK_MS = 250;

export function mayHaveBody({ headers, httpVersionMajor }: IncomingMessage): boolean {
  return (
    httpVersionMajor === 1 &&
    (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
  );
}

/** The rest of the body may be so long that the answer closes the connection. (HTTP/2 resets the stream by itself.) */
export function isLongUnread(request: IncomingMessage): boolean {
  if (request.complete || request.httpVersionMajor !== 1) return false;
  return Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) > SHORT_BYTES;
}

/**
 * An answer may be sent before the whole body is read: a wrong key, a full disk. The rest is then discarded for a while, also
 * where the connection is to be closed: closed with unread bytes, the client's side is reset and may lose
 * the answer (RFC 9112 section 9.6). An endless body is cut.
 */
export function endUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const closeSoon = () => Socket.prototype.destroySoon.call(socket);
  // Node calls it after an answer with `Connection: close`.
  socket.destroySoon = () => {
    if (request.complete) closeSoon();
    else socket.end();
  };
  response.once('finish', () => {
    if (request.complete) return;
    request.resume();
    const before = socket.bytesRead;
    let checks = REST_MS / CHECK_MS;
    request.once('end', () => {
      if (socket.writableEnded) closeSoon();
    });
    const timer = setInterval(() => {
      checks -= 1;
      const continues = !request.complete && !socket.destroyed;
      if (continues && checks > 0 && socket.bytesRead - before <= REST_BYTES) return;
      clearInterval(timer);
      if (continues) socket.destroy();
    }, CHECK_MS).unref();
  });
}
