import { setTimeout as pause } from 'node:timers/promises';

const MOST_MS = 45_000;
/** Between two looks. Looking for long takes CPU from what is waited for, so the pause grows to a tenth of the wait. */
const PAUSE_MS = { least: 5, most: 50 };

/** Waits until it is true, with a bound for "never" that a busy machine does not reach. */
export async function until(isTrue: () => boolean | Promise<boolean>, most = MOST_MS): Promise<void> {
  const began = performance.now();
  while (!(await isTrue())) {
    const waited = performance.now() - began;
    if (waited > most) throw new Error(`Not true within ${most} ms: ${isTrue}`);
    await pause(Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waited / 10)));
  }
}
