import { hash } from 'node:crypto';
import type { CoreConnection } from './core-connection.ts';

type Candidate = Pick<CoreConnection, 'name' | 'running' | 'isAvailable'>;

/** The available core with the fewest calls in progress. */
export function leastBusy<Core extends Candidate>(
  cores: readonly Core[],
  tried?: ReadonlySet<Core>,
): Core | undefined {
  let best: Core | undefined;
  for (const core of cores) {
    if (!core.isAvailable || tried?.has(core)) continue;
    if (best === undefined || core.running < best.running) best = core;
  }
  return best;
}

/**
 * The available core that a key belongs to, by highest random weight: all gateways choose the same core, and only the keys
 * of a core that is lost move.
 */
export function coreOfKey<Core extends Candidate>(
  cores: readonly Core[],
  key: string,
  tried?: ReadonlySet<Core>,
): Core | undefined {
  let best: Core | undefined;
  let highest = '';
  for (const core of cores) {
    if (!core.isAvailable || tried?.has(core)) continue;
    const weight = hash('sha1', `${core.name}\n${key}`);
    if (best === undefined || weight > highest) {
      best = core;
      highest = weight;
    }
  }
  return best;
}
