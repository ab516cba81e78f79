import type { Random } from '../../support/random/random.ts';
import type { Requests } from './requests.ts';

const PAUSE_MS = 200;
const KEYS = 6;

/** What a key was answered after the answer that replaced it, or after the one that made it. */
export interface KeyUse {
  readonly via: string;
  readonly isDead: boolean;
  /** Milliseconds since that answer. */
  readonly after: number;
  readonly status: number;
}

/** Replaces the delivery key of a project with secure access again and again, and uses old ones and the new one. */
export async function replaceKeys(
  project: string,
  requests: Requests,
  random: Random,
  isOver: () => boolean,
): Promise<KeyUse[]> {
  const uses: KeyUse[] = [];
  const dead: string[] = [];
  let current: string | undefined;
  let replaced = 0;
  while (!isOver()) {
    const { answer } = await requests.sendAsAdmin(
      `/admin/projects/${project}/keys/delivery-primary/regenerate`,
      {
        method: 'POST',
      },
    );
    if (answer?.status === 200) {
      if (current !== undefined) dead.push(current);
      current = (JSON.parse(answer.body) as { key: string }).key;
      replaced = performance.now();
    } else if (current !== undefined) {
      // It may have been replaced or not: the next answer decides.
      dead.push(current);
      current = undefined;
      continue;
    }
    if (current === undefined) continue;
    for (const key of [current, ...dead.slice(-KEYS)]) {
      const {
        answer: used,
        via,
        began,
      } = await requests.send('delivery', `/delivery/${project}/items`, {
        headers: { authorization: `Bearer ${key}` },
      });
      if (used) uses.push({ via, isDead: key !== current, after: began - replaced, status: used.status });
    }
    await requests.pause(random.int(0, PAUSE_MS));
  }
  return uses;
}
