import type { Bench, Measure } from '../benchmark.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startImages } from './image-service.ts';
import { type Peer, startImageServer, startNginx } from './peers.ts';
import { FORMATS, type Format, pictures } from './sources.ts';

const CONNECTIONS = 4;
/** A turn of about two seconds for each. */
const REQUESTS: Readonly<Record<Format, number>> = { jpeg: 160, png: 60, webp: 60 };

const TARGETS = {
  bare: { name: 'bare Node + sharp', target: { atLeast: 0.95 } },
  tuned: { name: 'ipx, equally tuned', target: { atLeast: 1 } },
  ipx: { name: 'ipx as it comes', target: { atLeast: 1.2 } },
  nginx: { name: 'nginx image_filter', target: { atLeast: 4 } },
} as const;

/** Every request is for another size: nothing can be kept. */
export const cold: Measure = {
  name: 'cold',
  about: 'all-distinct transforms/s of a 2000 × 1333 picture ÷ other servers with the same files',
  async run(bench: Bench) {
    const folder = await pictures(bench, 'cold');
    const ours = await startImages(bench, folder);
    const peers = {
      bare: await startImageServer('bare', folder),
      tuned: await startImageServer('ipx-tuned', folder),
      ipx: await startImageServer('ipx', folder),
      nginx: await startNginx(folder),
    };
    const figures = [];
    for (const format of FORMATS) {
      const perSecond = (peer: Peer) => async () => {
        const order = { port: peer.port, path: peer.path(format), connections: CONNECTIONS };
        return (await bench.load.run({ ...order, requests: bench.requests(REQUESTS[format]) })).perSecond;
      };
      const found = await takeTurns(bench.rounds, {
        ours: perSecond(ours),
        bare: perSecond(peers.bare),
        tuned: perSecond(peers.tuned),
        ipx: perSecond(peers.ipx),
        nginx: perSecond(peers.nginx),
      });
      for (const [side, { name, target }] of Object.entries(TARGETS)) {
        const below = found[side as keyof typeof TARGETS];
        figures.push({
          name: `${format}: transforms/s ÷ ${name}`,
          ...compared(found.ours, below),
          unit: '×' as const,
          target,
          detail: `${median(found.ours).toFixed(1)}/s ÷ ${median(below).toFixed(1)}/s`,
        });
      }
    }
    return figures;
  },
};
