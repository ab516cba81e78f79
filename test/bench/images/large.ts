import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { cpuOf } from './cold.ts';
import { startImages, upload } from './image-service.ts';
import { type Peer, startImageServer } from './peers.ts';
import { images, photograph } from './sources.ts';

const WIDTH = 8000;
const HEIGHT = 6000;
/**
 * Name, connections, target. Sizes of one image that wait together share its decoding, so only one alone says what a
 * transform costs.
 */
const ROWS: readonly (readonly [name: string, connections: number, target?: number])[] = [
  ['one alone', 1, 0.95],
  ['four together', 4],
];
const REQUESTS = 40;
/** 1,517 sizes of some 400 × 300, no two alike in a row. */
const SIZE = 'w={n%41+380}&h={n%37+280}';

type Sides = [ours: number[], bare: number[]];

/** What a camera of today takes, as small as a page shows it. */
export const large: Measure = {
  name: 'large',
  about: 'all-distinct transforms/s of a JPEG of 48 megapixels to some 400 px ÷ bare Node + sharp',
  async run(bench: Bench) {
    const { folder, ours, turnOf } = await start(bench);
    const bare = await startImageServer('bare', folder);
    const figures: Figure[] = [];
    for (const [name, connections, target] of ROWS) {
      const found = await takeTurns(bench.rounds, {
        ours: turnOf(ours, ours.large, connections),
        bare: turnOf(bare, '/large.jpeg?', connections),
      });
      const [rates, cpu] = (['perSecond', 'cpu'] as const).map((value) =>
        [found.ours, found.bare].map((turns) => turns.map((turn) => turn[value])),
      ) as [Sides, Sides];
      figures.push(
        {
          name: `${name}: transforms/s ÷ bare Node + sharp`,
          ...compared(...rates),
          unit: '×',
          ...(target !== undefined && { target: { atLeast: target } }),
          detail: rates.map((side) => `${median(side).toFixed(1)}/s`).join(' ÷ '),
        },
        {
          name: `${name}: CPU of a transform ÷ bare Node + sharp`,
          ...compared(...cpu),
          unit: '×',
          detail: `${cpu.map((side) => `${median(side).toFixed(0)} ms`).join(' ÷ ')}, the HTTP of both included`,
        },
      );
    }
    return figures;
  },

  async compare(bench: Bench) {
    const { ours, turnOf } = await start(bench);
    return Object.fromEntries(
      ROWS.map(([name, connections]) => [
        `48 megapixels to some 400 px, ${name}`,
        turnOf(ours, ours.large, connections),
      ]),
    );
  },
};

async function start(bench: Bench) {
  const folder = await images(bench, 'large');
  const body = await (await photograph(WIDTH / 4, HEIGHT / 4)).resize(WIDTH, HEIGHT).jpeg().toBuffer();
  await writeFile(join(folder, 'large.jpeg'), body);
  const service = await startImages(bench, folder);
  const file = await upload(service, 'large.jpeg', 'image/jpeg', body);
  const turnOf = (peer: Peer, path: string, connections: number) => {
    const order = { port: peer.port, path: `${path}${SIZE}`, connections };
    const requests = bench.requests(REQUESTS);
    return async () => {
      // A host that was idle in the turns of the others was ended: its start is not in the rate.
      await bench.load.run({ ...order, requests: 2 * connections });
      const before = cpuOf(peer);
      const { perSecond } = await bench.load.run({ ...order, requests });
      return { perSecond, cpu: (cpuOf(peer) - before) / requests };
    };
  };
  return { folder, ours: { ...service, large: `${file}?fit=scale&` }, turnOf };
}
