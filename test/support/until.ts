import { setTimeout as pause } from 'node:timers/promises';

const MOST_MS = 15_000;

/** Waits until it is true, with a bound for "never" that a busy machine does not reach. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const ends = performance.now() + MOST_MS;
  while (!(await isTrue())) {
    if (performance.now() > ends) throw new Error(`Not true within ${MOST_MS} ms: ${isTrue}`);
    await pause(5);
  }
}
