import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessState } from '../../process-identity.ts';
import { bodyHash } from '../protocol/signature.ts';
import type { CoreConnection } from './core-connection.ts';
import type { RemoteFeed } from './remote-feed.ts';

/** Between two calls, so that many commits are confirmed by one. */
const PAUSE_MS = 5;
const CALL_MS = 5000;

/** Sends core the commit that the caches of this gateway have, and what this process is; one call at a time. */
export class Confirmations {
  readonly #connection: CoreConnection;
  readonly #feed: RemoteFeed;
  readonly #process: () => ProcessState;
  readonly #signal: AbortSignal;
  #confirmed: string | undefined;
  #call: AbortController | undefined;

  constructor(
    connection: CoreConnection,
    feed: RemoteFeed,
    process: () => ProcessState,
    signal: AbortSignal,
  ) {
    this.#connection = connection;
    this.#feed = feed;
    this.#process = process;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#call?.abort(signal.reason));
  }

  /** A call that fails is repeated with the next message of the link. */
  send(): void {
    const { gateway, position } = this.#feed;
    if (this.#call !== undefined || position === undefined) return;
    const { sequence } = position;
    const text = JSON.stringify({ gateway, sequence, process: this.#process() });
    if (text === this.#confirmed) return;
    const call = new AbortController();
    this.#call = call;
    const body = Buffer.from(text);
    this.#connection
      .call({
        path: '/calls/feed-confirmed',
        head: bodyHash(body),
        body,
        signal: call.signal,
        timeout: CALL_MS,
      })
      .then(async (reply) => {
        await reply.body.whole();
        if (reply.outcome === 'answer') this.#confirmed = text;
        await pause(PAUSE_MS, undefined, { signal: this.#signal });
        return true;
      })
      .catch(() => false)
      .then((isSent) => {
        this.#call = undefined;
        if (isSent) this.send();
      });
  }
}
