import { setTimeout } from 'node:timers/promises';
import { type Dispatcher, fetch } from 'undici';

const POLL_MS = 50;

/**
 * Asks until the answer is 200.
 * @param busy milliseconds that do not count
 * @returns the last answer where that took longer
 */
export async function waitForHealth(
  url: string,
  milliseconds: number,
  busy: () => number,
  dispatcher?: Dispatcher,
): Promise<string | undefined> {
  const began = performance.now();
  let last = '';
  while (performance.now() - began < milliseconds + busy()) {
    try {
      const signal = AbortSignal.timeout(2000);
      const answer = await fetch(url, { signal, ...(dispatcher && { dispatcher }) });
      last = `${answer.status} ${await answer.text()}`;
      if (answer.status === 200) return undefined;
    } catch (error) {
      last = String((error as Error).cause ?? error);
    }
    await setTimeout(POLL_MS);
  }
  return last;
}
