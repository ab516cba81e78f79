/**
 * Work on the main thread in pieces: a loop over what a caller sent asks `isTurnLong` now and then, and goes on in
 * the next turn of the event loop, after what else is waiting. Small inputs are through before the first `true`.
 */

/** In milliseconds: far below the 50 that one run may take, so that what cannot be divided fits in as well. */
const LONGEST_TURN = 8;

let began = 0;
let isRunning = false;

/** The turn that runs now, with whatever ran in it since this was asked first, has taken long enough. */
export function isTurnLong(): boolean {
  const now = performance.now();
  if (isRunning) return now - began >= LONGEST_TURN;
  isRunning = true;
  began = now;
  setImmediate(endTurn);
  return false;
}

/** Goes on when everybody else had their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function endTurn(): void {
  isRunning = false;
}
