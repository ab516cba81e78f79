import { z } from 'zod';

export const settings = z.strictObject({
  maxBytes: z
    .int()
    .min(1_048_576)
    .max(1_099_511_627_776)
    .default(134_217_728)
    .describe('Memory for answers, their headers, keys and tags included, in bytes.'),
  maxEntryBytes: z
    .int()
    .min(1024)
    .max(1_073_741_824)
    .default(2_097_152)
    .describe('A larger answer is passed on and not cached, in bytes.'),
  staleMilliseconds: z
    .int()
    .min(0)
    .max(10_000)
    .default(1000)
    .describe('Without the wait header no answer is older than this behind a change, in milliseconds.'),
  refreshMilliseconds: z
    .int()
    .min(0)
    .max(5000)
    .default(50)
    .describe('How long a refresh is waited for before the old answer is sent, in milliseconds.'),
  waitSeconds: z
    .number()
    .min(0.01)
    .max(300)
    .default(15)
    .describe('How long a request waits for core at most, in seconds; then 503, or the old answer, flagged.'),
  staleIfErrorSeconds: z
    .number()
    .min(0)
    .max(604_800)
    .default(300)
    .describe(
      'While core fails an outdated answer is sent, flagged, for so long after it became outdated, in seconds.',
    ),
  passSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(10)
    .describe('What cannot be cached is not waited for by others for so long, in seconds.'),
  browserSeconds: z
    .int()
    .min(0)
    .max(31_536_000)
    .default(0)
    .describe('max-age of answers, in seconds; 0 = browsers revalidate each time and mostly get a 304.'),
  sharedSeconds: z
    .int()
    .min(0)
    .max(31_536_000)
    .default(1)
    .describe('s-maxage of public answers, for proxies and CDNs in front, in seconds.'),
  surrogateKeys: z
    .boolean()
    .default(false)
    .describe(
      'Send a CDN in front what an answer was made of, as `Surrogate-Key`: the tags of core, each behind the first 8 characters of the id of its project and a slash.',
    ),
  compressFromBytes: z
    .int()
    .min(0)
    .max(1_073_741_824)
    .default(0)
    .describe('Smaller bodies are not compressed, in bytes; 0 = all are, where the client accepts it.'),
  gzipLevel: z.int().min(1).max(9).default(6).describe('Effort of gzip, once an entry.'),
  brotliQuality: z.int().min(0).max(11).default(5).describe('Effort of brotli, once an entry.'),
  feedLost: z
    .enum(['brief', 'off'])
    .default('brief')
    .describe(
      'While the connection to the change feed of core is lost: `brief` sends what core confirmed in the last 2 seconds, flagged; `off` calls core each time.',
    ),
  onFeedGap: z
    .enum(['ignore', 'stale'])
    .default('ignore')
    .describe(
      'When a sequence is missing in the change feed: `stale` marks everything older as outdated, for feeds that can lose changes; those of core lose none, or report it.',
    ),
});
