import { FRESH, LONG_AGO } from './tag-versions.ts';

/** What is known when a request comes in. */
export interface Situation {
  /** When the kept answer became outdated; FRESH, LONG_AGO; undefined where none is kept. */
  readonly staleSince: number | undefined;
  readonly now: number;
  /** The request carries the wait header, or asks for a sequence nobody here has heard of. */
  readonly mustAsk: boolean;
  readonly staleMilliseconds: number;
  readonly refreshMilliseconds: number;
}

/**
 * `serve`: the kept answer as it is. `refresh`: begin a fetch, give it a moment, then serve the old one. `share`: wait
 * for a fetch, also one that is under way. `ask`: wait for a fetch that begins after this request.
 */
export type Decision = 'serve' | 'refresh' | 'share' | 'ask';

export function decide(situation: Situation): Decision {
  const { staleSince, now, mustAsk, staleMilliseconds, refreshMilliseconds } = situation;
  if (mustAsk) return 'ask';
  if (staleSince === undefined) return 'share';
  if (staleSince === FRESH) return 'serve';
  if (staleSince === LONG_AGO) return 'share';
  // The moment that is given to the refresh makes the old answer older.
  return now - staleSince + refreshMilliseconds < staleMilliseconds ? 'refresh' : 'share';
}
