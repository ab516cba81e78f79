import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { memoryOf } from '../process-usage.ts';
import type { ReadOrder, ReadReply } from '../stream-readers.ts';
import { startCluster } from './cluster.ts';

const MEGABYTE = 1024 * 1024;
const UPLOAD = 100 * MEGABYTE;
const PIECE = Buffer.alloc(64 * 1024, 7);
const SAMPLE_MS = 20;

/** Memory of a gateway and of a core while a large body passes through both. */
export const largeBodies: Measure = {
  name: 'large-bodies',
  about: 'an upload of 100 MB and a listing of all items through gateway and core: growth of memory',
  async run({ datasets, large, requests }: Bench): Promise<readonly Figure[]> {
    const dataset = await datasets.of(large);
    const cluster = await startCluster(datasets, await datasets.copy(dataset, 'scale-bodies'), {
      settings: {
        PIPELINE__OFF: 'rate-limit,response-cache',
        PLUGINS__LIMITS__BODY_BYTES: String(2 * UPLOAD),
      },
    });
    const service = await cluster.managed();
    const [gateway] = cluster.gateways;
    const readers = startChild<ReadOrder, ReadReply>('stream-readers.ts');
    const small = service.itemsPath('limit=20&depth=0');
    // What the first thousands of requests take is part of the rest.
    for (let count = 0; count < requests(2000); count += 1) {
      await (await fetch(`http://127.0.0.1:${service.port}${small}`)).arrayBuffer();
    }
    const upload = async () => {
      const answer = await fetch(`http://127.0.0.1:${service.port}${service.base}/files/large.bin`, {
        method: 'POST',
        headers: {
          authorization: service.headers['Authorization']!,
          'content-type': 'application/octet-stream',
          'content-length': String(UPLOAD),
        },
        body: new ReadableStream({ pull: pieces(UPLOAD), type: 'bytes' }),
        duplex: 'half',
      } as RequestInit);
      if (answer.status !== 200)
        throw new Error(`The upload was answered with ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    };
    const download = async () => {
      await readers.ask({ read: 'fast', port: service.port, path: service.itemsPath('') });
    };
    const figures: Figure[] = [];
    const items = `${large.toLocaleString('en')} items`;
    for (const [name, act, target] of [
      ['100 MB upload', upload, { atMost: 32 }],
      // The kernel maps pages of the database file, up to 256 MB: that counts as resident, once.
      [`${items}, the first time`, download, undefined],
      [`${items}, again`, download, { atMost: 32 }],
    ] as const) {
      const pids = { gateway: gateway!.pid, core: cluster.cores[0]!.pid };
      const before = { gateway: memoryOf(pids.gateway), core: memoryOf(pids.core) };
      const top = { ...before };
      const sample = () => {
        for (const side of ['gateway', 'core'] as const) {
          const { total, anonymous } = memoryOf(pids[side]);
          top[side] = {
            total: Math.max(top[side].total, total),
            anonymous: Math.max(top[side].anonymous, anonymous),
          };
        }
      };
      const timer = setInterval(sample, SAMPLE_MS);
      await act().finally(() => clearInterval(timer));
      sample();
      for (const side of ['gateway', 'core'] as const) {
        const { total, anonymous } = before[side];
        figures.push({
          name: `${name}: growth of the ${side}`,
          value: (top[side].total - total) / MEGABYTE,
          unit: 'MB',
          ...(target && { target }),
          detail: `from ${(total / MEGABYTE).toFixed(0)} MB; anonymous ${((top[side].anonymous - anonymous) / MEGABYTE).toFixed(1)} MB`,
        });
      }
    }
    return figures;
  },
  compare: { leftOut: 'an earlier version has no separate gateway' },
};

/** A body of so many bytes. */
function pieces(length: number): (controller: ReadableByteStreamController) => void {
  let rest = length;
  return (controller) => {
    const piece = PIECE.subarray(0, Math.min(rest, PIECE.length));
    rest -= piece.length;
    controller.enqueue(Uint8Array.from(piece));
    if (rest === 0) controller.close();
  };
}
