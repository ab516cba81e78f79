/** Parts of a window that are counted apart: 3 s of a minute, so that `Retry-After` is less than 4 s late. */
export const PARTS = 20;
/** The window in full and the part that is half outside. */
const SLOTS = PARTS + 1;

/**
 * Counts in a rolling window by parts of it. The part that is half outside still counts, so never more than the
 * limit are admitted in any stretch as long as the window, and a call is delayed for one part too long at most.
 * 21 numbers whatever the limit, where a list of the calls of an hour would take 15,000.
 */
export class RollingWindow {
  readonly #part: number;
  readonly #counts = new Uint32Array(SLOTS);
  /** Number of the newest part, counted from the start of the clock. */
  #newest = 0;
  #total = 0;

  /** @param length in milliseconds */
  constructor(length: number) {
    this.#part = length / PARTS;
  }

  /** Calls that count at `now`. */
  count(now: number): number {
    const part = Math.floor(now / this.#part);
    const passed = Math.min(part - this.#newest, SLOTS);
    for (let step = 1; step <= passed; step += 1) {
      const slot = (this.#newest + step) % SLOTS;
      this.#total -= this.#counts[slot]!;
      this.#counts[slot] = 0;
    }
    if (passed > 0) this.#newest = part;
    return this.#total;
  }

  charge(now: number): void {
    this.count(now);
    this.#counts[this.#newest % SLOTS]! += 1;
    this.#total += 1;
  }

  /** Milliseconds from `now` until fewer than `limit` count; 0 when it is so already. */
  wait(now: number, limit: number): number {
    let count = this.count(now);
    if (count < limit) return 0;
    for (let age = SLOTS - 1; age >= 0; age -= 1) {
      const part = this.#newest - age;
      if (part < 0) continue;
      count -= this.#counts[part % SLOTS]!;
      if (count < limit) return (part + SLOTS) * this.#part - now;
    }
    // Nothing is ever admitted with a limit of 0.
    return SLOTS * this.#part;
  }
}
