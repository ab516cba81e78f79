import type { Registry } from 'prom-client';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

/** Metrics of the asset files in a bucket and of their local cache, `headwater_files_…`; zero without a bucket. */
export function fileMetrics(
  registry: Registry,
  {
    operations: {
      blobs: { remote },
    },
  }: Pick<RunningCore, 'operations'>,
): void {
  const { gauge, counter, counters } = scrapedMetrics(registry, 'headwater_files_', undefined, () =>
    remote ? [['', remote.figures()] as const] : [],
  );

  gauge(
    'cache_bytes',
    'Size of the cached files, and of those that are being written.',
    ({ bytes }) => bytes,
  );
  gauge('cache_entries', 'Cached files.', ({ entries }) => entries);
  counter('cache_hits_total', 'Reads of files that were cached.', ({ hits }) => hits);
  counter('cache_misses_total', 'Transfers of files that were not.', ({ misses }) => misses);
  counters('store_calls_total', 'Calls of the bucket, by kind.', 'kind', ({ calls }) => calls);
  counter(
    'store_failures_total',
    'Calls that the bucket did not answer, or not in time.',
    ({ failures }) => failures,
  );
}
