import type { Bench, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { median } from '../rounds.ts';
import type { BurstOrder, BurstResult } from './burst.ts';
import { startImages } from './image-service.ts';
import { images } from './sources.ts';

const TIMES = 10;
const SECONDS = 4;
const PEAK_CONNECTIONS = 16;

/** Ten times as many new sizes as can be made. */
export const overload: Measure = {
  name: 'overload',
  about:
    'distinct requests at 10 × capacity: images/s ÷ the most there can be; how fast the others are refused',
  async run(bench: Bench) {
    const folder = await images(bench, 'overload');
    const ours = await startImages(bench, folder);
    const client = startChild<BurstOrder, BurstResult>('images/burst.ts');
    let number = 0;
    const path = () => {
      number += 1;
      return `${ours.files.jpeg}?w=${300 + (number % 400)}&h=${200 + (number % 397)}&fit=scale`;
    };
    const peakOf = async () =>
      (
        await bench.load.run({
          port: ours.port,
          path: ours.path('jpeg'),
          connections: PEAK_CONNECTIONS,
          requests: bench.requests(300),
        })
      ).perSecond;
    const flood = async (perSecond: number) => {
      const paths = Array.from({ length: perSecond * SECONDS }, path);
      const { answers, seconds } = await client.ask({ port: ours.port, paths, perSecond });
      const made = answers.filter(({ status }) => status === 200).length;
      const refused = answers.filter(({ status }) => status === 503).map(({ milliseconds }) => milliseconds);
      if (made + refused.length !== answers.length)
        throw new Error('Some were answered with neither 200 nor 503.');
      refused.sort((one, other) => one - other);
      return {
        made: made / seconds,
        count: refused.length,
        p99: refused[Math.floor(refused.length * 0.99)] ?? 0,
      };
    };
    // Sizes that the load client does not request.
    number = 100_000;
    // The code of a service that has just started is slow: its first flood is a figure of its own.
    const first = await flood(Math.ceil((await peakOf()) * TIMES));
    const ratios: number[] = [];
    const refusals: number[] = [];
    let detail = '';
    for (let round = 0; round < Math.ceil(bench.rounds / 2); round++) {
      const peak = await peakOf();
      const perSecond = Math.ceil(peak * TIMES);
      const { made, count, p99 } = await flood(perSecond);
      ratios.push(made / peak);
      refusals.push(p99);
      detail = `${made.toFixed(0)}/s of ${perSecond}/s asked, ${peak.toFixed(0)}/s at most; ${count} refused`;
    }
    return [
      {
        name: 'images/s ÷ peak',
        value: median(ratios),
        unit: '×' as const,
        spread: [Math.min(...ratios), Math.max(...ratios)] as const,
        target: { atLeast: 0.95 },
        detail: `last round: ${detail}`,
      },
      {
        name: 'p99 of refused answers',
        value: median(refusals),
        unit: 'ms' as const,
        target: { atMost: 20 },
      },
      { name: 'p99 of refused answers, the first flood', value: first.p99, unit: 'ms' as const },
    ];
  },

  compare: {
    leftOut: 'its load depends on the rate found a moment before, so both sides would get different loads',
  },
};
