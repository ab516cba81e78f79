import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { median } from '../rounds.ts';
import type { BurstOrder, BurstResult } from './burst.ts';
import { startImages } from './image-service.ts';
import { images } from './sources.ts';

const VISITORS = 500;
const MADE = 'headwater_workers_tasks_total';

/** Many clients request the same new image at once. */
export const oneDecode: Measure = {
  name: 'one-decode',
  about:
    '500 identical cold requests at once: transforms made, slowest answer ÷ (one transform + 500 hot answers)',
  async run(bench: Bench) {
    const { ours, path, ask } = await visitors(bench);
    let size = 300;
    // Hosts start, connections are made for the first time, code is compiled.
    for (let warm = 0; warm < 3; warm++) await ask(path(size++), VISITORS);
    const ratios: number[] = [];
    let decodes = 0;
    let detail = '';
    for (let round = 0; round < bench.rounds; round++) {
      const one = await ask(path(size++), 1);
      const before = await ours.metric(MADE);
      const slowest = await ask(path(size), VISITORS);
      decodes = Math.max(decodes, (await ours.metric(MADE)) - before);
      const hot = await ask(path(size++), VISITORS);
      ratios.push(slowest / (one + hot));
      detail = `${slowest.toFixed(0)} ms ÷ (${one.toFixed(0)} + ${hot.toFixed(0)} ms)`;
    }
    const figures: Figure[] = [
      { name: 'most transforms in a round', value: decodes, unit: '×', target: { atMost: 1 } },
      {
        name: 'slowest ÷ (one transform + 500 hot answers)',
        value: median(ratios),
        unit: '×',
        spread: [Math.min(...ratios), Math.max(...ratios)],
        target: { atMost: 1.2 },
        detail: `last round: ${detail}`,
      },
    ];
    return figures;
  },

  async compare(bench: Bench) {
    const { path, ask } = await visitors(bench);
    let size = 300;
    return {
      [`slowest of ${VISITORS} identical cold requests`]: async () => ({
        milliseconds: await ask(path(size++), VISITORS),
      }),
    };
  },
};

/** A service, and clients that all request at once; `ask` resolves with the slowest answer, in milliseconds. */
async function visitors(bench: Bench) {
  const ours = await startImages(bench, await images(bench, 'one-decode'));
  const client = startChild<BurstOrder, BurstResult>('images/burst.ts');
  return {
    ours,
    path: (size: number) => `${ours.files.jpeg}?w=${size}&h=${size}&fit=scale`,
    async ask(target: string, count: number): Promise<number> {
      const { answers } = await client.ask({
        port: ours.port,
        paths: Array.from({ length: count }, () => target),
      });
      const failed = answers.filter(({ status }) => status !== 200).length;
      if (failed > 0) throw new Error(`${failed} of ${count} requests were not answered with 200.`);
      return Math.max(...answers.map(({ milliseconds }) => milliseconds));
    },
  };
}
