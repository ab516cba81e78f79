import type { IncomingMessage, ServerResponse } from 'node:http';

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

/**
 * An answer may be out before the body is in: a wrong key, a wrong method. The server then reads the rest away
 * so that the connection can be used again, which an endless body would let it do for as long as a request may
 * take. Here the connection is cut after a while instead. (HTTP/2 resets the stream by itself.)
 */
export function endUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    const before = socket.bytesRead;
    let looks = LEFT_MS / LOOK_MS;
    const timer = setInterval(() => {
      looks -= 1;
      const goesOn = !request.complete && !socket.destroyed;
      if (goesOn && looks > 0 && socket.bytesRead - before <= LEFT_BYTES) return;
      clearInterval(timer);
      if (goesOn) socket.destroy();
    }, LOOK_MS).unref();
  });
}
