/**
 * The retry schedule (spec 6.1): 1, 2, 4, 8, 16, 32, 60, 60 … minutes after the end of the attempt before, for 3 days
 * from the first attempt. With immediate answers that is 77 attempts, the last 71 h 03 min after the first. Receivers
 * cannot change the schedule, not with `Retry-After` either.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long a notification is retried, ms from its first attempt. */
const TRIED_FOR = 72 * HOUR;
/** Bounds attempts when the clock was set back. */
const MOST_ATTEMPTS = 77;

/** Pause after this many attempts, ms. */
export function delayAfter(attempts: number): number {
  return attempts > 6 ? HOUR : 2 ** (attempts - 1) * MINUTE;
}

/**
 * Time of the next attempt; undefined when none is left and the notification is dropped.
 *
 * @param attempts made so far, including the one that just ended
 * @param first start of the first attempt, ms since 1970
 * @param ended end of the last attempt
 */
export function nextAttempt(attempts: number, first: number, ended: number): number | undefined {
  const due = ended + delayAfter(attempts);
  return attempts < MOST_ATTEMPTS && due - first <= TRIED_FOR ? due : undefined;
}
