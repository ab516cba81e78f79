import { z } from 'zod';

export const settings = z.strictObject({
  maxBytes: z
    .int()
    .min(0)
    .max(1_099_511_627_776)
    .default(134_217_728)
    .describe('Memory of the cache, in bytes; 0 = no cache.'),
  maxEntryBytes: z
    .int()
    .min(0)
    .max(1_073_741_824)
    .default(1_048_576)
    .describe('Largest cached file, in bytes; core streams files above 1,048,576, which are never cached.'),
  feedLost: z
    .enum(['brief', 'off'])
    .default('brief')
    .describe(
      'While the connection to the change feed of core is lost: `brief` sends what core confirmed in the last 2 seconds, flagged; `off` calls core each time.',
    ),
  staleIfErrorSeconds: z
    .number()
    .min(0)
    .max(604_800)
    .default(300)
    .describe(
      'While core fails and the feed is lost, a cached file is sent, flagged, for so long after it was last known to exist, in seconds.',
    ),
});
