import type { Benchmark } from '../benchmark.ts';
import { deepPage } from './deep-page.ts';
import { hundredWithLinks } from './hundred-with-links.ts';
import { pageGrowth } from './page-growth.ts';
import { pageThroughput } from './page-throughput.ts';

export const delivery: Benchmark = {
  name: 'delivery',
  about:
    'published content through the whole default pipeline, uncached, identity encoding, kept connections',
  measures: [pageGrowth, pageThroughput, hundredWithLinks, deepPage],
};
