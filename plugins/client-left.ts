import type { ServerResponse } from 'node:http';
import type { CancelSignal } from '../core/contract.ts';
import { Cancellation } from './cancellation.ts';

const LEFT = new Error('The client left before its answer was complete.');

/** Calls `listener` when the client leaves before its answer is complete; returns the way to stop listening. */
export function onClientLeft(res: ServerResponse, listener: () => void): () => void {
  const closed = () => {
    if (!res.writableEnded) listener();
  };
  // Nothing more is heard of a connection that was lost while others worked on the request.
  if (isClosed(res)) closed();
  else res.once('close', closed);
  return () => res.off('close', closed);
}

/** Fires when the client leaves before its answer is complete. */
export function clientSignal(res: ServerResponse): CancelSignal {
  const left = new Cancellation();
  onClientLeft(res, () => left.abort(LEFT));
  return left;
}

/** Answers of HTTP/2 know it by their stream. */
function isClosed(res: ServerResponse & { readonly stream?: { readonly destroyed: boolean } }): boolean {
  return res.destroyed || res.stream?.destroyed === true;
}
