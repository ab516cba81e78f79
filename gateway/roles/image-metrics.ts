import type { Registry } from 'prom-client';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

/** Metrics of the cache of transformed images on disk, `headwater_image_cache_…`. */
export function imageMetrics(registry: Registry, { images }: Pick<RunningCore, 'images'>): void {
  const { gauge, counter } = scrapedMetrics(registry, 'headwater_image_cache_', undefined, () => [
    ['', images.figures()] as const,
  ]);

  gauge('bytes', 'Size of the images on disk.', ({ bytes }) => bytes);
  gauge('entries', 'Images on disk.', ({ entries }) => entries);
  counter('hits_total', 'Images that were on disk.', ({ hits }) => hits);
  counter(
    'misses_total',
    'Images that were not, so that a worker had to transform them.',
    ({ misses }) => misses,
  );
}
