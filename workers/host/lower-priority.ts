import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Gives this process the lowest priority. On Linux a priority belongs to a thread, and new threads inherit that of
 * the one that creates them: every thread Node has started by now is lowered, those of the pool come later.
 */
export function lowerPriority(): void {
  const lowered = new Set<number>();
  const others = () => threads().filter((thread) => !lowered.has(thread));
  // Again, because one that was not lowered yet may have started another one meanwhile.
  for (let found = others(); found.length > 0; found = others()) {
    for (const thread of found) {
      lowered.add(thread);
      try {
        setPriority(thread, constants.priority.PRIORITY_LOW);
      } catch {
        // The thread has ended.
      }
    }
  }
}

/** Thread ids on Linux; elsewhere 0, which is the process. */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [0];
  }
}
