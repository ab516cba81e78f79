import { setTimeout } from 'node:timers/promises';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { childrenOf, memoryOf } from '../process-usage.ts';
import { type ImageService, startImages, upload } from './image-service.ts';
import { images, photograph } from './sources.ts';

const TRANSFORMS = 400;
const IDLE_SECONDS = 15;

/** Is memory released? With the allocator that every Linux has. */
export const memory: Measure = {
  name: 'memory',
  about:
    'resident memory of the worker tier 15 s after 400 mixed transforms of up to 36 MP, system allocator',
  async run(bench: Bench) {
    const folder = await images(bench, 'memory');
    const ours = await startImages(bench, folder, { WORKERS__ALLOCATOR: 'system' });
    const paths = await mixed(ours);
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, resident(ours.pid));
    }, 100);
    for (let done = 0; done < bench.requests(TRANSFORMS); done += paths.length) {
      await Promise.all(paths.map((path, index) => get(ours.port, path(300 + ((done + index) % 400)))));
    }
    clearInterval(watch);
    await setTimeout(IDLE_SECONDS * 1000);
    const figures: Figure[] = [
      {
        name: `resident ${IDLE_SECONDS} s after`,
        value: resident(ours.pid) / 1e6,
        unit: 'MB',
        target: { atMost: 100 },
        detail: `${childrenOf(ours.pid).length} hosts; ${(peak / 1e6).toFixed(0)} MB at most while at work`,
      },
    ];
    return figures;
  },

  compare: { leftOut: 'a turn takes half a minute, and its figure is a limit, not a speed' },
};

async function mixed(ours: ImageService): Promise<((width: number) => string)[]> {
  const large = await upload(
    ours,
    'large.jpeg',
    'image/jpeg',
    await (await photograph(7360, 4912)).jpeg().toBuffer(),
  );
  const tall = await upload(
    ours,
    'tall.webp',
    'image/webp',
    await (await photograph(1200, 3600)).webp().toBuffer(),
  );
  const { jpeg, png, webp } = ours.files;
  return [
    (width) => `${jpeg}?w=${width}`,
    (width) => `${png}?w=${width}&fm=webp`,
    (width) => `${webp}?w=${width}&h=${width}&fit=crop`,
    (width) => `${large}?w=${width + 500}`,
    (width) => `${tall}?w=${width}&fm=png8`,
    (width) => `${png}?w=${width}`,
    (width) => `${large}?rect=1000,1000,3000,2000&w=${width}&fm=webp`,
  ];
}

async function get(port: number, path: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}.`);
}

function resident(pid: number): number {
  return childrenOf(pid).reduce((sum, host) => sum + residentOf(host), 0);
}

/** The process may end in between. */
function residentOf(pid: number): number {
  try {
    return memoryOf(pid).total;
  } catch {
    return 0;
  }
}
