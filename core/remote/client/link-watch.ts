import { FEED_LOST_MS } from '../../changes/change-feed.ts';

/** Until a link has started: core may have to read the change log. */
const START_MS = 2 * FEED_LOST_MS;
const TICK_MS = 100;

/**
 * Ends a link that stays behind, so that it is opened again: a connection may be dead without an error, and the clocks of two
 * machines may move apart.
 */
export class LinkWatch {
  readonly #timer: NodeJS.Timeout;
  #until = performance.now();
  #longest = START_MS;

  constructor(link: AbortController) {
    this.#timer = setInterval(() => {
      if (performance.now() - this.#until <= this.#longest) return;
      const until = this.#until;
      // Where this process was stopped or busy, what has arrived meanwhile is read first.
      setImmediate(() => {
        if (this.#until === until) link.abort(new Error('The link to core stays behind.'));
      });
    }, TICK_MS).unref();
  }

  /** The link has delivered everything until this time (`performance.now()`). */
  reached(until: number): void {
    this.#until = until;
    this.#longest = FEED_LOST_MS;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
