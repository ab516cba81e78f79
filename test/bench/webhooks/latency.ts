import type { Bench, Measure } from '../benchmark.ts';
import { median } from '../rounds.ts';
import { delays, percentile, startParts } from './parts.ts';
import { publishDelays } from './publish-delays.ts';

const WEBHOOKS = 20;
const PER_SECOND = 200;
/** Of one project, whose publishes come one after another. */
const COMPARED = 10;

/** Time until a receiver is notified. */
export const latency: Measure = {
  name: 'latency',
  about: `commit → receipt at ${PER_SECOND} events/s over ${WEBHOOKS} webhooks of as many projects, loopback`,
  async run(bench: Bench) {
    const parts = await startParts(bench);
    const projects: string[] = [];
    for (const url of parts.urls('healthy', WEBHOOKS)) projects.push(await parts.project([url]));
    const seconds = bench.requests(5);
    const rounds: number[][] = [];
    for (let round = -1; round < bench.rounds; round++) {
      const found = await delays(parts, { projects, perSecond: PER_SECOND, seconds });
      if (round >= 0) rounds.push(found);
    }
    return [
      { share: 0.5, name: 'p50', target: { atMost: 5 } },
      { share: 0.99, name: 'p99', target: { atMost: 25 } },
    ].map(({ share, name, target }) => {
      const values = rounds.map((round) => percentile(round, share));
      return {
        name: `commit → receipt, ${name}`,
        value: median(values),
        spread: [Math.min(...values), Math.max(...values)] as const,
        unit: 'ms' as const,
        target,
      };
    });
  },

  async compare(bench: Bench) {
    const turn = await publishDelays(bench, 'latency', ({ urls }) => urls('healthy', COMPARED));
    return { [`publish → receipt at ${COMPARED} webhooks`]: turn };
  },
};
