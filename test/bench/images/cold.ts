import type { Bench, Figure, Measure } from '../benchmark.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startImages } from './image-service.ts';
import { type Peer, startImageServer, startNginx } from './peers.ts';
import { FORMATS, type Format, images } from './sources.ts';

const CONNECTIONS = 4;
/** A turn of about two seconds for each. */
const REQUESTS: Readonly<Record<Format, number>> = { jpeg: 160, png: 60, webp: 60 };

const WARM_UP = 2 * CONNECTIONS;

const TARGETS = {
  bare: { name: 'bare Node + sharp', formats: FORMATS, atLeast: 0.97 },
  tuned: { name: 'ipx, equally tuned', formats: FORMATS, atLeast: 1 },
  ipx: { name: 'ipx as it comes', formats: FORMATS, atLeast: 1 },
  nginx: { name: 'nginx image_filter', formats: ['jpeg', 'png'], atLeast: 2 },
} as const;

/** Every request is for another size: nothing can be kept. */
export const cold: Measure = {
  name: 'cold',
  about: 'all-distinct transforms/s of a 2000 × 1333 image ÷ other servers with the same files',
  async run(bench: Bench) {
    const folder = await images(bench, 'cold');
    const ours = await startImages(bench, folder);
    const peers = {
      bare: await startImageServer('bare', folder),
      tuned: await startImageServer('ipx-tuned', folder),
      ipx: await startImageServer('ipx', folder),
      nginx: await startNginx(folder),
    };
    const figures: Figure[] = [];
    for (const format of FORMATS) {
      const turn = (peer: Peer) => turnOf(bench, peer, format);
      const turns = await takeTurns(bench.rounds, {
        ours: turn(ours),
        bare: turn(peers.bare),
        tuned: turn(peers.tuned),
        ipx: turn(peers.ipx),
        nginx: turn(peers.nginx),
      });
      const found = mapValues(turns, ({ perSecond }) => perSecond);
      const cpu = mapValues(turns, (one) => one.cpu);
      figures.push({
        name: `${format}: CPU of a transform ÷ bare Node + sharp`,
        ...compared(cpu.ours, cpu.bare),
        unit: '×' as const,
        detail: `${median(cpu.ours).toFixed(1)} ms ÷ ${median(cpu.bare).toFixed(1)} ms, the HTTP of both included`,
      });
      for (const [side, { name, formats, atLeast }] of Object.entries(TARGETS)) {
        const below = found[side as keyof typeof TARGETS];
        figures.push({
          name: `${format}: transforms/s ÷ ${name}`,
          ...compared(found.ours, below),
          unit: '×' as const,
          ...(formats.some((one) => one === format) && { target: { atLeast } }),
          detail: `${median(found.ours).toFixed(1)}/s ÷ ${median(below).toFixed(1)}/s`,
        });
      }
    }
    return figures;
  },

  async compare(bench: Bench) {
    const ours = await startImages(bench, await images(bench, 'cold'));
    return Object.fromEntries(FORMATS.map((format) => [format, turnOf(bench, ours, format)]));
  },
};

function turnOf({ load, requests }: Bench, peer: Peer, format: Format) {
  const count = requests(REQUESTS[format]);
  return async () => {
    const order = { port: peer.port, path: peer.path(format), connections: CONNECTIONS };
    // During the turns of the other servers our host is idle for so long that it is ended: its start is not in the rate.
    await load.run({ ...order, requests: WARM_UP });
    const before = cpuOf(peer);
    const { perSecond } = await load.run({ ...order, requests: count });
    return { perSecond, cpu: (cpuOf(peer) - before) / count };
  };
}

/** Of all its processes. */
export function cpuOf(peer: Peer): number {
  return (peer.pids?.() ?? []).reduce((sum, pid) => sum + cpuMilliseconds(pid), 0);
}

function mapValues<Side extends string, Found>(
  turns: Readonly<Record<Side, readonly Found[]>>,
  value: (found: Found) => number,
): Record<Side, number[]> {
  const entries = Object.entries<readonly Found[]>(turns).map(([side, found]) => [side, found.map(value)]);
  return Object.fromEntries(entries) as Record<Side, number[]>;
}
