import { join } from 'node:path';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { kilobytes } from '../delivery/listings.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import type { Service } from '../service.ts';
import type { ReadyAnswer } from './answers-server.ts';
import { listingPath, secured, startCached } from './cached-service.ts';
import type { FastOrder, FastResult } from './fast-load.ts';
import { startNginx } from './nginx.ts';

const CONNECTIONS = 32;
/** Node writes these itself. */
const OF_NODE = new Set(['date', 'connection', 'keep-alive']);

/** The rate of an answer from memory, with the whole pipeline on, compared with Node and nginx. */
export const cachedListing: Measure = {
  name: 'cached-listing',
  about: 'a cached listing of 8–10 kB, 32 connections: requests/s ÷ bare node:http, ÷ nginx; and its 304',
  async run({ datasets, rounds, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const open = await startCached(await datasets.copy(dataset, 'cached-open'));
    const closed = await startCached(await datasets.copy(dataset, 'cached-closed'));
    const path = await listingPath(open);
    const key = await secured(closed, dataset);
    const kept = await cachedAnswer(open.port, path);
    const { etag } = kept;
    const bare = startChild<readonly ReadyAnswer[], number>('gateway/answers-server.ts');
    const barePort = await bare.ask([kept.whole, kept.unchanged]);
    const nginx = await startNginx(join(await datasets.folder('nginx')), open.port);
    const load = startChild<FastOrder, FastResult>('gateway/fast-load.ts');
    const common = { connections: CONNECTIONS, requests: requests(30_000) };
    const plain = { 'Accept-Encoding': 'identity' };
    const turn =
      (pid: number, order: Pick<FastOrder, 'port' | 'path' | 'headers' | 'status'>) => async () => {
        const before = cpuMilliseconds(pid);
        const { perSecond } = await load.ask({ ...common, ...order });
        return { perSecond, cpu: ((cpuMilliseconds(pid) - before) / common.requests) * 1000 };
      };
    const match = { ...plain, 'If-None-Match': etag };
    const found = await takeTurns(rounds, {
      open: turn(open.pid, { port: open.port, path, headers: plain }),
      bare: turn(bare.pid, { port: barePort, path: '/0', headers: plain }),
      secure: turn(closed.pid, { port: closed.port, path, headers: { ...plain, ...key } }),
      nginx: turn(bare.pid, { port: nginx.port, path, headers: plain }),
      unchanged: turn(open.pid, { port: open.port, path, headers: match, status: 304 }),
      bareUnchanged: turn(bare.pid, { port: barePort, path: '/1', headers: match, status: 304 }),
    });
    type Turns = readonly { readonly perSecond: number; readonly cpu: number }[];
    const figure = (name: string, above: Turns, below: Turns, atLeast: number, cpu = true): Figure => ({
      name,
      ...compared(
        above.map(({ perSecond }) => perSecond),
        below.map(({ perSecond }) => perSecond),
      ),
      unit: '×',
      target: { atLeast },
      detail: [
        `${median(above.map(({ perSecond }) => perSecond)).toFixed(0)}/s ÷ ${median(below.map(({ perSecond }) => perSecond)).toFixed(0)}/s of ${kilobytes(kept.whole.body.length)}`,
        ...(cpu
          ? [
              `CPU ${median(above.map((one) => one.cpu)).toFixed(1)} against ${median(below.map((one) => one.cpu)).toFixed(1)} µs`,
            ]
          : []),
      ].join('; '),
    });
    return [
      figure('÷ bare node:http', found.open, found.bare, 0.8),
      figure('secure access on, ÷ bare node:http', found.secure, found.bare, 0.7),
      figure('÷ nginx proxy_cache, one worker each', found.open, found.nginx, 0.5, false),
      figure('304 ÷ bare 304', found.unchanged, found.bareUnchanged, 0.8),
    ];
  },

  async compare({ datasets, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const open = await startCached(await datasets.copy(dataset, 'cached-open'));
    const closed = await startCached(await datasets.copy(dataset, 'cached-closed'));
    const path = await listingPath(open);
    const key = await secured(closed, dataset);
    const { etag } = await cachedAnswer(open.port, path);
    const load = startChild<FastOrder, FastResult>('gateway/fast-load.ts');
    const plain = { 'Accept-Encoding': 'identity' };
    const count = requests(30_000);
    const turn = (service: Service, more: Pick<FastOrder, 'headers' | 'status'>) => async () => {
      const { pid, port } = service;
      const before = cpuMilliseconds(pid);
      const { perSecond } = await load.ask({
        port,
        path,
        connections: CONNECTIONS,
        requests: count,
        ...more,
      });
      return { perSecond, cpu: (cpuMilliseconds(pid) - before) / count };
    };
    return {
      'a cached listing': turn(open, { headers: plain }),
      'secure access on': turn(closed, { headers: { ...plain, ...key } }),
      'its 304': turn(open, { headers: { ...plain, 'If-None-Match': etag }, status: 304 }),
    };
  },
};

/** What the cache sends, for the bare server to send the same bytes. */
async function cachedAnswer(port: number, path: string) {
  const read = () => fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'accept-encoding': 'identity' } });
  await (await read()).arrayBuffer();
  const answer = await read();
  const body = new Uint8Array(await answer.arrayBuffer());
  if (answer.headers.get('cache-status') !== 'headwater; hit') throw new Error('The listing is not cached.');
  const headers = [...answer.headers].filter(([name]) => !OF_NODE.has(name));
  const unchanged = headers.filter(([name]) => name !== 'content-type' && name !== 'content-length');
  return {
    etag: answer.headers.get('etag')!,
    whole: { status: 200, headers: headers.flat(), body },
    unchanged: { status: 304, headers: unchanged.flat(), body: new Uint8Array() },
  };
}
