/** Calls at once, and after those one in so many milliseconds: a small part of what a session may call. */
const AT_ONCE = 20;
const INTERVAL = 300;

/** Spreads the calls that pages of custom elements cause, all of the browser's page together. */
export class CallPace {
  readonly #now: () => number;
  readonly #pause: (milliseconds: number) => Promise<void>;
  /** When the next call would be made if none could be made at once. */
  #due = Number.NEGATIVE_INFINITY;

  /** @param now in milliseconds */
  constructor(now: () => number, pause: (milliseconds: number) => Promise<void>) {
    this.#now = now;
    this.#pause = pause;
  }

  /** Resolves when a call may be made. */
  async next(): Promise<void> {
    const now = this.#now();
    this.#due = Math.max(this.#due, now - AT_ONCE * INTERVAL) + INTERVAL;
    if (this.#due > now) await this.#pause(this.#due - now);
  }
}
