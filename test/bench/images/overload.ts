import type { Bench, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { cpuMilliseconds, cpuOfTree } from '../process-usage.ts';
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
    const peakOf = async () => {
      const requests = bench.requests(300);
      const before = cpuOfTree(ours.pid);
      const { perSecond } = await bench.load.run({
        port: ours.port,
        path: ours.path('jpeg'),
        connections: PEAK_CONNECTIONS,
        requests,
      });
      return { peak: perSecond, perImage: (cpuOfTree(ours.pid) - before) / requests };
    };
    const flood = async (perSecond: number) => {
      const paths = Array.from({ length: perSecond * SECONDS }, path);
      const before = { service: cpuOfTree(ours.pid), client: cpuMilliseconds(client.pid) };
      const { answers, seconds } = await client.ask({ port: ours.port, paths, perSecond });
      const used = {
        service: cpuOfTree(ours.pid) - before.service,
        client: cpuMilliseconds(client.pid) - before.client,
      };
      const made = answers.filter(({ status }) => status === 200).length;
      const refused = answers.filter(({ status }) => status === 503).map(({ milliseconds }) => milliseconds);
      if (made + refused.length !== answers.length)
        throw new Error('Some were answered with neither 200 nor 503.');
      refused.sort((one, other) => one - other);
      return {
        made: made / seconds,
        count: refused.length,
        p99: refused[Math.floor(refused.length * 0.99)] ?? 0,
        perImage: used.service / made,
        processorsOfClient: used.client / seconds / 1000,
      };
    };
    // Sizes that the load client does not request.
    number = 100_000;
    // The code of a service that has just started is slow: its first flood is a figure of its own.
    const first = await flood(Math.ceil((await peakOf()).peak * TIMES));
    const ratios: number[] = [];
    const refusals: number[] = [];
    const cpu: number[] = [];
    let detail = '';
    for (let round = 0; round < Math.ceil(bench.rounds / 2); round++) {
      const { peak, perImage } = await peakOf();
      const perSecond = Math.ceil(peak * TIMES);
      const flooded = await flood(perSecond);
      ratios.push(flooded.made / peak);
      refusals.push(flooded.p99);
      cpu.push(flooded.perImage / perImage);
      detail = `${flooded.made.toFixed(0)}/s of ${perSecond}/s asked, ${peak.toFixed(0)}/s at most; ${flooded.count} refused; the client took ${flooded.processorsOfClient.toFixed(2)} processors`;
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
      // What is above 1 went into the refusals; what the client takes is in the detail above.
      {
        name: 'CPU of the service for each image made ÷ at the peak',
        value: median(cpu),
        unit: '×' as const,
        spread: [Math.min(...cpu), Math.max(...cpu)] as const,
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
