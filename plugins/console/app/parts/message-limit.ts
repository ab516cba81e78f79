/** Messages that a framed page may send in a second. */
const MOST = 200;
const WINDOW = 1000;

/** Counts the messages of a framed page. */
export class MessageLimit {
  #began = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** @param now in milliseconds @returns false once there are too many */
  admits(now: number): boolean {
    if (now - this.#began >= WINDOW) {
      this.#began = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= MOST;
  }
}
