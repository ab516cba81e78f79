import type { Bench, Measure } from '../benchmark.ts';
import { percentile, startParts } from './parts.ts';

const ATTEMPTS = 1_000_000;
const READS = 600;

export const log: Measure = {
  name: 'log',
  about: `pages of the delivery log by webhook and state among ${ATTEMPTS} attempts, through the admin API`,
  async run(bench: Bench) {
    const parts = await startParts(bench);
    const project = await parts.project(parts.urls('healthy', 1));
    const attempts = bench.large === 100_000 ? ATTEMPTS : ATTEMPTS / 10;
    const { times = [] } = await parts.sender.ask({ do: 'log', project, attempts, reads: READS });
    const sorted = times.toSorted((one, other) => one - other);
    return [
      {
        name: `a page of the log among ${attempts}, p95`,
        value: percentile(sorted, 0.95),
        unit: 'ms' as const,
        target: { atMost: 20 },
        detail: `p50 ${percentile(sorted, 0.5).toFixed(1)} ms`,
      },
    ];
  },

  compare: {
    leftOut: 'its million attempts are written by modules of core; over HTTP they take an hour',
  },
};
