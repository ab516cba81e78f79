/**
 * When a notification that was not taken is sent again (spec 6.1): 1, 2, 4, 8, 16, 32, 60, 60 … minutes after the
 * end of the attempt before, for 3 days from its own first attempt. With answers that take no time that is 77
 * attempts, the last 71 h 03 min after the first. Nothing a receiver says changes it, a `Retry-After` neither: the
 * schedule is exact.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long a notification is tried for, ms from its first attempt. */
const TRIED_FOR = 72 * HOUR;
/** Also when the clock was set back meanwhile. */
const MOST_ATTEMPTS = 77;

/** Pause after so many attempts, ms. */
export function delayAfter(attempts: number): number {
  return attempts > 6 ? HOUR : 2 ** (attempts - 1) * MINUTE;
}

/**
 * When to try again, or undefined when there is no attempt left and the notification is dropped.
 *
 * @param attempts made so far, the one that just ended included
 * @param first when the first of them began, ms since 1970
 * @param ended when the last of them ended
 */
export function nextAttempt(attempts: number, first: number, ended: number): number | undefined {
  const due = ended + delayAfter(attempts);
  return attempts < MOST_ATTEMPTS && due - first <= TRIED_FOR ? due : undefined;
}
