import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Cancellation, type CancelSignal } from '../../core/contract.ts';

const DISCONNECTED = new Error('The client disconnected before its answer was complete.');

/** Calls `listener` when the client disconnects before its answer is complete; returns what stops listening. */
export function onDisconnect(res: ServerResponse, listener: () => void): () => void {
  const closed = () => {
    if (!res.writableEnded) listener();
  };
  // No event follows where the connection was lost while another plugin worked on the request.
  if (isClosed(res)) closed();
  else closable(res).once('close', closed);
  return () => closable(res).off('close', closed);
}

/** What emits `close`: Node's response to a HEAD over HTTP/2 does so only once it has been ended (Node 20.20, 24.21). */
export function closable(res: ServerResponse & { readonly stream?: EventEmitter }): EventEmitter {
  return res.stream ?? res;
}

/** Fires when the client disconnects before its answer is complete. */
export function clientSignal(res: ServerResponse): CancelSignal {
  const signal = new Cancellation();
  onDisconnect(res, () => signal.abort(DISCONNECTED));
  return signal;
}

/** Responses of HTTP/2 know it by their stream. */
export function isClosed(
  res: ServerResponse & { readonly stream?: { readonly destroyed: boolean } },
): boolean {
  return res.destroyed || res.stream?.destroyed === true;
}
