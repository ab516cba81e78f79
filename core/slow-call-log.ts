import type { CoreLog } from './log.ts';

/** Between two lines. */
const INTERVAL_MS = 1000;

/** Logs calls that take long: one line a second at most, with the number of slow calls since the line before. */
export class SlowCallLog {
  readonly #log: Pick<CoreLog, 'warn'>;
  readonly #slow: number;
  #next = Number.NEGATIVE_INFINITY;
  #suppressed = 0;

  /** @param slow from how many milliseconds on a call takes long; 0 = none does */
  constructor(log: Pick<CoreLog, 'warn'>, slow: number) {
    this.#log = log;
    this.#slow = slow === 0 ? Number.POSITIVE_INFINITY : slow;
  }

  /**
   * @param milliseconds what the call took
   * @param now milliseconds of the monotonic clock
   * @param fields called for a line only
   */
  record(milliseconds: number, now: number, fields: () => object): void {
    if (milliseconds < this.#slow) return;
    if (now < this.#next) {
      this.#suppressed += 1;
      return;
    }
    this.#log.warn({ ...fields(), suppressed: this.#suppressed }, 'A call was slow.');
    this.#next = now + INTERVAL_MS;
    this.#suppressed = 0;
  }
}
