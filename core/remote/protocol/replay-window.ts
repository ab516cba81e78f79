/** Numbers of calls that are remembered for each caller; later ones of the same caller end older ones. */
const WIDTH = 65_536;
/** Callers that are remembered; the one that was silent longest is dropped. */
const CALLERS = 256;

interface Window {
  /** The highest number seen. */
  highest: number;
  /** One bit for each of the last `WIDTH` numbers. */
  readonly seen: Uint8Array;
}

/**
 * Accepts each number of a caller once, as the anti-replay window of IPsec does (RFC 4303, 3.4.3): calls arrive over several
 * connections, so their numbers are not in order. 8 KB for each caller.
 */
export class ReplayWindow {
  readonly #callers = new Map<string, Window>();

  /** False for a number that was accepted before, or is too old to tell. */
  accept(caller: string, number: number): boolean {
    const window = this.#callers.get(caller) ?? { highest: -1, seen: new Uint8Array(WIDTH / 8) };
    this.#callers.delete(caller);
    this.#callers.set(caller, window);
    if (this.#callers.size > CALLERS) this.#callers.delete(this.#callers.keys().next().value!);
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
