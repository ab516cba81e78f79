import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** For so long a caller may send the rest of a body that is not read; it reads the answer meanwhile. */
const UNREAD_MS = 2000;

/**
 * Ends the connection of a request whose body does not end.
 *
 * @param socket of the request, which has none any more once its reader has stopped
 */
export function endUnread(request: IncomingMessage, socket: Socket): void {
  setTimeout(() => {
    if (!request.complete) socket.destroy();
  }, UNREAD_MS).unref();
}
