/**
 * Divides long work on the main thread: a loop over a caller's input calls `isTurnLong` from time to time and continues
 * in the next turn of the event loop, after other requests. Small inputs end before the first `true`.
 */

/** In milliseconds: far below the limit of 50, so that indivisible work fits in as well. */
const LONGEST_TURN = 8;

let began = 0;
let isRunning = false;

/** Whether the current turn, counted from its first call of this function, has been long enough. */
export function isTurnLong(): boolean {
  const now = performance.now();
  if (isRunning) return now - began >= LONGEST_TURN;
  isRunning = true;
  began = now;
  setImmediate(endTurn);
  return false;
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function endTurn(): void {
  isRunning = false;
}
