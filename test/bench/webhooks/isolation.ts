import type { Bench, Measure } from '../benchmark.ts';
import { median } from '../rounds.ts';
import { delays, percentile, startParts } from './parts.ts';
import { publishDelays } from './publish-delays.ts';

const WEBHOOKS = 50;
const PER_SECOND = 5;

/** How much failing endpoints delay the healthy ones. */
export const isolation: Measure = {
  name: 'isolation',
  about: `half of ${WEBHOOKS} endpoints dead or 60 s slow: p99 of the healthy ÷ all healthy`,
  async run(bench: Bench) {
    const parts = await startParts(bench);
    const half = WEBHOOKS / 2;
    const healthy = await parts.project(parts.urls('healthy', WEBHOOKS));
    const others = [
      ...parts.urls('slow', Math.ceil(half / 2)),
      ...Array.from({ length: Math.floor(half / 4) }, (_, place) => `http://127.0.0.1:1/${place}`),
      ...parts.urls('failing', Math.ceil(half / 4)),
    ].slice(0, half);
    const mixed = await parts.project([...parts.urls('healthy', half), ...others]);
    const seconds = bench.requests(6);
    const found = { healthy: [] as number[], mixed: [] as number[] };
    for (let round = -1; round < bench.rounds; round++) {
      const all = await delays(
        parts,
        { projects: [healthy], perSecond: PER_SECOND, seconds },
        (count) => count * WEBHOOKS,
      );
      const some = await delays(
        parts,
        { projects: [mixed], perSecond: PER_SECOND, seconds },
        (count) => count * half,
      );
      if (round < 0) continue;
      found.healthy.push(percentile(all, 0.99));
      found.mixed.push(percentile(some, 0.99));
    }
    const shares = found.mixed.map((value, round) => {
      const beside = found.healthy[round]!;
      return value / Math.max(beside * 1.1, beside + 2);
    });
    return [
      {
        name: 'p99 of the healthy ÷ what is allowed (1.1 × all healthy, or 2 ms more)',
        value: median(shares),
        spread: [Math.min(...shares), Math.max(...shares)] as const,
        unit: '×' as const,
        target: { atMost: 1 },
        detail: `p99 ${median(found.mixed).toFixed(1)} ms beside dead ones, ${median(found.healthy).toFixed(1)} ms all healthy`,
      },
    ];
  },

  async compare(bench: Bench) {
    const turn = await publishDelays(bench, 'isolation', ({ urls }) => [
      ...urls('healthy', 10),
      ...urls('slow', 5),
      ...urls('failing', 5),
    ]);
    return { 'publish → receipt at 10 webhooks beside 10 that fail': turn };
  },
};
