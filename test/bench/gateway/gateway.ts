import type { Benchmark } from '../benchmark.ts';
import { cachedListing } from './cached-listing.ts';
import { coldBurst } from './cold-burst.ts';
import { greedyClient } from './greedy-client.ts';
import { publishOne } from './publish-one.ts';
import { staleAge } from './stale-age.ts';
import { waitHeader } from './wait-header.ts';

export const gateway: Benchmark = {
  name: 'gateway',
  about: 'answers from memory, how true they stay, and the limiter; the whole default pipeline',
  measures: [cachedListing, publishOne, coldBurst, waitHeader, staleAge, greedyClient],
};
