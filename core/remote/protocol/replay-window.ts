/** Numbers of calls that are remembered for each caller; later ones of the same caller end older ones. */
const WIDTH = 65_536;

interface Window {
  /** When the last number was accepted or refused. */
  at: number;
  /** The highest number seen. */
  highest: number;
  /** One bit for each of the last `WIDTH` numbers. */
  readonly seen: Uint8Array;
}

/**
 * Accepts each number of a caller once, as the anti-replay window of IPsec does (RFC 4303, 3.4.3): calls arrive over several
 * connections, so their numbers are not in order. 8 KB for each caller that called lately.
 */
export class ReplayWindow {
  readonly #callers = new Map<string, Window>();
  readonly #milliseconds: number;

  /** @param milliseconds a caller that is silent for so long is forgotten: its calls are too old to be valid */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /**
   * False for a number that was accepted before, or is too old to tell.
   * @param now milliseconds, by any clock that does not go back
   */
  accept(caller: string, number: number, now: number): boolean {
    const window = this.#callers.get(caller) ?? { at: now, highest: -1, seen: new Uint8Array(WIDTH / 8) };
    window.at = now;
    this.#callers.delete(caller);
    this.#callers.set(caller, window);
    for (const [silent, { at }] of this.#callers) {
      if (now - at <= this.#milliseconds) break;
      this.#callers.delete(silent);
    }
    if (number <= window.highest - WIDTH) return false;
    const at = number % WIDTH;
    const bit = 1 << (at & 7);
    if (number <= window.highest) {
      if ((window.seen[at >> 3]! & bit) !== 0) return false;
    } else {
      if (number - window.highest >= WIDTH) window.seen.fill(0);
      else for (let next = window.highest + 1; next < number; next++) clear(window.seen, next % WIDTH);
      window.highest = number;
    }
    window.seen[at >> 3]! |= bit;
    return true;
  }
}

function clear(seen: Uint8Array, at: number): void {
  seen[at >> 3]! &= ~(1 << (at & 7));
}
