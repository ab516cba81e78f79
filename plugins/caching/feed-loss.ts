import { type ChangeFeed, FEED_LOST_MS } from '../../core/contract.ts';
import type { Clock } from '../contract.ts';

/** While the feed is lost an answer is sent that core confirmed within this time. */
export const LOST_FEED_BOUND_MS = 2000;

/** Whether changes may have been missed. In process that cannot be, and costs one comparison. */
export function isFeedLost({ completeUntil }: ChangeFeed, clock: Clock): boolean {
  return completeUntil !== Number.POSITIVE_INFINITY && clock.monotonic() - completeUntil > FEED_LOST_MS;
}
