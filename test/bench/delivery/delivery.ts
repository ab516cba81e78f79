import type { Benchmark } from '../benchmark.ts';
import { cacheMiss } from './cache-miss.ts';
import { deepPage } from './deep-page.ts';
import { elementRename } from './element-rename.ts';
import { generation } from './generation.ts';
import { hundredWithLinks } from './hundred-with-links.ts';
import { largeFolder } from './large-folder.ts';
import { pageGrowth } from './page-growth.ts';
import { pageThroughput } from './page-throughput.ts';
import { pipelineCost } from './pipeline-cost.ts';
import { consoleGrowth, fallbackGrowth, newQueryGrowth, requestGrowth } from './request-growth.ts';
import { secondStart } from './second-start.ts';
import { unlimitedListing } from './unlimited-listing.ts';
import { variations } from './variations.ts';

export const delivery: Benchmark = {
  name: 'delivery',
  about:
    'published content through the whole default pipeline, uncached, identity encoding, kept connections',
  measures: [
    pageGrowth,
    requestGrowth,
    newQueryGrowth,
    fallbackGrowth,
    consoleGrowth,
    largeFolder,
    pageThroughput,
    hundredWithLinks,
    cacheMiss,
    deepPage,
    variations,
    elementRename,
    pipelineCost,
    unlimitedListing,
    secondStart,
    generation,
  ],
};
