/** Work that a page does piece by piece while it is idle. */

/** Milliseconds after which a busy page does it as well. */
const LONGEST_WAIT = 1000;
/** Milliseconds that a piece takes at most, mostly. */
const LONGEST_PIECE = 10;

const waiting = new Set<() => void>();
let isAsked = false;

/** @returns a function that calls it off */
export function whenIdle(work: () => void): () => void {
  waiting.add(work);
  ask();
  return () => waiting.delete(work);
}

function ask(): void {
  if (isAsked || waiting.size === 0) return;
  isAsked = true;
  // Not every browser has it.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(next, { timeout: LONGEST_WAIT });
  else setTimeout(() => next());
}

/** Pieces as long as the page stays idle: keys that are pressed meanwhile wait for no more than one. */
function next(deadline?: IdleDeadline): void {
  isAsked = false;
  try {
    for (const work of waiting) {
      waiting.delete(work);
      work();
      if (!deadline || deadline.timeRemaining() < LONGEST_PIECE) break;
    }
  } finally {
    ask();
  }
}
