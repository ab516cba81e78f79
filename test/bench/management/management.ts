import type { Benchmark } from '../benchmark.ts';
import { importProject } from './import-project.ts';
import { listingPages } from './listing-pages.ts';
import { publishLinked } from './publish-linked.ts';
import { publishMany } from './publish-many.ts';
import { upserts } from './upserts.ts';

export const management: Benchmark = {
  name: 'management',
  about: 'content written and listed through the whole default pipeline, durable, kept connections',
  measures: [upserts, publishLinked, publishMany, listingPages, importProject],
};
