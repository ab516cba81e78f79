import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import type { BurstOrder, BurstResult } from './burst.ts';
import { cpuOf } from './cold.ts';
import { startImages } from './image-service.ts';
import { type Peer, startImageServer } from './peers.ts';
import { FORMATS, type Format, fileName, images } from './sources.ts';

const WIDTHS = 20;
const STEP = 94;

/** A page that was just published: a browser, or a cache in front, requests every size of its image. */
export const srcset: Measure = {
  name: 'srcset',
  about: `${WIDTHS} new widths of a 2000 × 1333 image requested together ÷ one decode and ${WIDTHS} encodings by sharp`,
  async run(bench: Bench) {
    const { folder, ours, turnOf } = await start(bench);
    const bare = await startImageServer('bare', folder);
    const figures: Figure[] = [];
    for (const format of FORMATS) {
      const found = await takeTurns(bench.rounds, {
        ours: turnOf(ours, (widths) => widths.map((width) => `${ours.files[format]}?w=${width}`)),
        bare: turnOf(bare, (widths) => [`/${fileName(format)}?widths=${widths.join()}`]),
      });
      const of = (value: 'milliseconds' | 'cpu') =>
        [found.ours, found.bare].map((turns) => turns.map((turn) => turn[value])) as [number[], number[]];
      for (const [name, value] of [
        ['time', 'milliseconds'],
        ['CPU', 'cpu'],
      ] as const) {
        const [above, below] = of(value);
        figures.push({
          name: `${format}: ${name} ÷ one decode and ${WIDTHS} encodings`,
          ...compared(above, below),
          unit: '×',
          target: { atMost: 1.3 },
          detail: `${median(above).toFixed(0)} ms ÷ ${median(below).toFixed(0)} ms`,
        });
      }
    }
    return figures;
  },

  async compare(bench: Bench) {
    const { ours, turnOf } = await start(bench);
    return Object.fromEntries(
      FORMATS.map((format: Format) => [
        format,
        turnOf(ours, (widths) => widths.map((width) => `${ours.files[format]}?w=${width}`)),
      ]),
    );
  },
};

async function start(bench: Bench) {
  const folder = await images(bench, 'srcset');
  const ours = await startImages(bench, folder);
  const client = startChild<BurstOrder, BurstResult>('images/burst.ts');
  const turnOf = (peer: Peer, pathsOf: (widths: readonly number[]) => readonly string[]) => {
    let turn = 0;
    const ask = async () => {
      const first = 100 + (turn++ % STEP);
      const paths = pathsOf(Array.from({ length: WIDTHS }, (_, at) => first + at * STEP));
      const { answers } = await client.ask({ port: peer.port, paths });
      const wrong = answers.find(({ status }) => status !== 200);
      if (wrong) throw new Error(`An image was answered with ${wrong.status}.`);
      return Math.max(...answers.map(({ milliseconds }) => milliseconds));
    };
    return async () => {
      // The host may have been ended while the other side had its turn.
      await ask();
      const before = cpuOf(peer);
      return { milliseconds: await ask(), cpu: cpuOf(peer) - before };
    };
  };
  return { folder, ours, turnOf };
}
