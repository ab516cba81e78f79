import type { IncomingMessage } from 'node:http';

/** For so long a caller may send the rest of a body that is not read; it reads the answer meanwhile. */
const UNREAD_MS = 2000;

/** Ends the connection of a request whose body does not end. */
export function endUnread(request: IncomingMessage): void {
  // A request whose caller has gone away may have none by then.
  const { socket } = request;
  setTimeout(() => {
    if (!request.complete) socket?.destroy();
  }, UNREAD_MS).unref();
}
