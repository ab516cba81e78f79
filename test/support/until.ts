import { setTimeout as pause } from 'node:timers/promises';

const MOST_MS = 45_000;

/** Waits until it is true, with a bound for "never" that a busy machine does not reach. */
export async function until(isTrue: () => boolean | Promise<boolean>, most = MOST_MS): Promise<void> {
  const ends = performance.now() + most;
  while (!(await isTrue())) {
    if (performance.now() > ends) throw new Error(`Not true within ${most} ms: ${isTrue}`);
    await pause(5);
  }
}
