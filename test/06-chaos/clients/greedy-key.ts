import { setTimeout } from 'node:timers/promises';
import type { Requests } from './requests.ts';

const PAUSE_MS = 40;
const CALLERS = 2;

/** Calls the management API more often than its key may. */
export async function callGreedily(
  { path, key }: { readonly path: string; readonly key: string },
  requests: Requests,
  isOver: () => boolean,
): Promise<void> {
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver()) {
      await requests.send('manage', path, {
        headers: { authorization: `Bearer ${key}` },
      });
      await setTimeout(PAUSE_MS);
    }
  });
  await Promise.all(callers);
}
