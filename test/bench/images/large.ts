import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Measure } from '../benchmark.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startImages, upload } from './image-service.ts';
import { startImageServer } from './peers.ts';
import { photograph, pictures } from './sources.ts';

const WIDTH = 8000;
const HEIGHT = 6000;
const CONNECTIONS = 4;
const REQUESTS = 40;
/** 1,517 sizes of some 400 × 300, no two alike in a row. */
const SIZE = 'w={n%41+380}&h={n%37+280}';

/** What a camera of today takes, as small as a page shows it. */
export const large: Measure = {
  name: 'large',
  about: 'all-distinct transforms/s of a JPEG of 48 megapixels to some 400 px ÷ bare Node + sharp',
  async run(bench: Bench) {
    const { folder, ours, turnOf } = await start(bench);
    const bare = await startImageServer('bare', folder);
    const found = await takeTurns(bench.rounds, {
      ours: turnOf(ours.port, ours.large),
      bare: turnOf(bare.port, '/large.jpeg?'),
    });
    return [
      {
        name: 'transforms/s ÷ bare Node + sharp',
        ...compared(found.ours, found.bare),
        unit: '×' as const,
        target: { atLeast: 0.95 },
        detail: `${median(found.ours).toFixed(1)}/s ÷ ${median(found.bare).toFixed(1)}/s`,
      },
    ];
  },

  async compare(bench: Bench) {
    const { ours, turnOf } = await start(bench);
    const turn = turnOf(ours.port, ours.large);
    return { '48 megapixels to some 400 px': async () => ({ perSecond: await turn() }) };
  },
};

async function start(bench: Bench) {
  const folder = await pictures(bench, 'large');
  const body = await (await photograph(WIDTH / 4, HEIGHT / 4)).resize(WIDTH, HEIGHT).jpeg().toBuffer();
  await writeFile(join(folder, 'large.jpeg'), body);
  const service = await startImages(bench, folder);
  const file = await upload(service, 'large.jpeg', 'image/jpeg', body);
  const turnOf = (port: number, path: string) => {
    const order = { port, path: `${path}${SIZE}`, connections: CONNECTIONS };
    return async () => {
      // A host that was idle in the turns of the others was ended: its start is not in the rate.
      await bench.load.run({ ...order, requests: 2 * CONNECTIONS });
      return (await bench.load.run({ ...order, requests: bench.requests(REQUESTS) })).perSecond;
    };
  };
  return { folder, ours: { ...service, large: `${file}?fit=scale&` }, turnOf };
}
