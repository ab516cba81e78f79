import { LOST_FEED_BOUND_MS } from '../caching/feed-loss.ts';
import { FRESH, LONG_AGO } from './feed-tag-versions.ts';

/** What decides how a request is answered. */
export interface Situation {
  /** When the cached answer became outdated; FRESH, LONG_AGO; undefined where none is cached. */
  readonly staleSince: number | undefined;
  /** While the feed is lost: when the cached answer was last known to be current. */
  readonly currentAt: number | undefined;
  readonly now: number;
  /** The request has the wait header, or requires a sequence that the feed has not reported. */
  readonly mustFetch: boolean;
  readonly staleMilliseconds: number;
  readonly refreshMilliseconds: number;
}

/**
 * `serve`: the cached answer as it is. `serveFlagged`: as one that may be outdated. `refresh`: begin a fetch, wait a moment for it, then serve the old answer.
 * `joinCurrent`: wait for a fetch, also one that is under way. `joinNext`: wait for one that begins after this request.
 */
export type Decision = 'serve' | 'serveFlagged' | 'refresh' | 'joinCurrent' | 'joinNext';

export function decide(situation: Situation): Decision {
  const { staleSince, currentAt, now, mustFetch, staleMilliseconds, refreshMilliseconds } = situation;
  if (mustFetch) return 'joinNext';
  if (staleSince === undefined) return 'joinCurrent';
  if (staleSince === FRESH) {
    if (currentAt === undefined) return 'serve';
    return now - currentAt < LOST_FEED_BOUND_MS ? 'serveFlagged' : 'joinCurrent';
  }
  if (staleSince === LONG_AGO) return 'joinCurrent';
  // Waiting for the refresh makes the old answer older.
  return now - staleSince + refreshMilliseconds < staleMilliseconds ? 'refresh' : 'joinCurrent';
}
