/** How far two clocks may move apart; machines that are set by NTP stay within this. */
const DRIFT = 100e-6;

/**
 * Converts times of core's monotonic clock to `performance.now()` of this process. The smallest difference observed is the
 * closest: a message that was read late, for example because this process was stopped, shows a larger one.
 */
export class CoreClock {
  #offset = Number.POSITIVE_INFINITY;
  #observed = 0;

  /** @param time when core sent a message that has arrived now */
  observe(time: number): void {
    const now = performance.now();
    this.#offset = Math.min(now - time, this.#offset + (now - this.#observed) * DRIFT);
    this.#observed = now;
  }

  toLocal(time: number): number {
    return time + this.#offset;
  }
}
