import { setTimeout as sleep } from 'node:timers/promises';

/** Longest run of the main thread that a request may cause, in milliseconds of CPU. */
export const LONGEST_ALLOWED_MS = 50;

/** Tries of the same input, and the pause before each further one, which grows by this many milliseconds. */
const TRIES = 10;
const PAUSE_MS = 100;

/**
 * The smallest of several measurements of the same input, at most ten within five seconds, and only one if that is
 * allowed: garbage collection, compiling and a busy machine (page faults of new memory took three times as long for
 * seconds) make single ones longer, while a run that is too long is too long each time.
 */
export async function leastOf<Measured extends { readonly milliseconds: number }>(
  measure: () => Promise<Measured>,
): Promise<Measured> {
  let least = await measure();
  for (let tries = 1; tries < TRIES && least.milliseconds > LONGEST_ALLOWED_MS; tries += 1) {
    await sleep(tries * PAUSE_MS);
    const again = await measure();
    if (again.milliseconds < least.milliseconds) least = again;
  }
  return least;
}
