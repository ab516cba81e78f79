import { setTimeout as pause } from 'node:timers/promises';
import { isRefusal } from './reason-of.ts';

const SHORTEST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;

/**
 * Repeats the last step of a job until the database takes it: a job that failed because the database was away would be
 * running for as long as its process lives.
 * @param failed receives the first error
 * @param closing ends the attempts: other processes end what an ended one has left
 * @returns undefined where the attempts ended
 * @throws what refuses the step
 */
export async function untilDone<T>(
  step: () => Promise<T>,
  failed: (error: unknown) => void,
  closing: AbortSignal,
): Promise<T | undefined> {
  for (let milliseconds = SHORTEST_PAUSE; ; milliseconds = Math.min(2 * milliseconds, LONGEST_PAUSE)) {
    try {
      return await step();
    } catch (error) {
      if (isRefusal(error)) throw error;
      if (milliseconds === SHORTEST_PAUSE) failed(error);
    }
    await pause(milliseconds, undefined, { signal: closing }).catch(() => {});
    if (closing.aborted) return undefined;
  }
}
