import type { Registry } from 'prom-client';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

/** Metrics of the cache of transformed pictures on disk, `headwater_pictures_cache_…`. */
export function pictureMetrics(registry: Registry, { pictures }: Pick<RunningCore, 'pictures'>): void {
  const { gauge, counter } = scrapedMetrics(registry, 'headwater_pictures_cache_', undefined, () => [
    ['', pictures.figures()] as const,
  ]);

  gauge('bytes', 'Size of the pictures on disk.', ({ bytes }) => bytes);
  gauge('entries', 'Pictures on disk.', ({ entries }) => entries);
  counter('hits_total', 'Pictures that were on disk.', ({ hits }) => hits);
  counter(
    'misses_total',
    'Pictures that were not, so that a worker had to transform them.',
    ({ misses }) => misses,
  );
}
