import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import type { FastOrder, FastResult } from '../gateway/fast-load.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startImages } from './image-service.ts';
import { startNginx } from './peers.ts';
import { pictures } from './sources.ts';

const CONNECTIONS = 32;

/** What a picture costs that was made before. */
export const hot: Measure = {
  name: 'hot',
  about: 'a result of some 30 KB requested repeatedly: requests/s ÷ nginx sending the same bytes from a file',
  async run(bench: Bench) {
    const folder = await pictures(bench, 'hot');
    const ours = await startImages(bench, folder);
    const path = `${ours.files.jpeg}?w=440&q=80`;
    const answer = await fetch(`http://127.0.0.1:${ours.port}${path}`);
    const body = Buffer.from(await answer.arrayBuffer());
    if (answer.headers.get('content-type') !== 'image/jpeg' || body.length > 100_000) {
      throw new Error(`No picture of some 30 KB came: ${answer.status}, ${body.length} bytes.`);
    }
    await writeFile(join(folder, 'hot.jpeg'), body);
    const nginx = await startNginx(folder);
    const client = startChild<FastOrder, FastResult>('gateway/fast-load.ts');
    const run = (port: number, to: string) => () =>
      client.ask({ port, path: to, connections: CONNECTIONS, requests: bench.requests(30_000) });
    const found = await takeTurns(bench.rounds, {
      ours: run(ours.port, path),
      nginx: run(nginx.port, '/files/hot.jpeg'),
    });
    const speeds = (results: readonly FastResult[]) => results.map(({ perSecond }) => perSecond);
    const busy = median(found.nginx.map(({ clientBusy }) => clientBusy));
    return [
      {
        name: `requests/s ÷ nginx static file, ${CONNECTIONS} connections`,
        ...compared(speeds(found.ours), speeds(found.nginx)),
        unit: '×' as const,
        target: { atLeast: 0.5 },
        detail: `${median(speeds(found.ours)).toFixed(0)}/s ÷ ${median(speeds(found.nginx)).toFixed(0)}/s of ${(body.length / 1000).toFixed(0)} KB; client ${(busy * 100).toFixed(0)} % busy`,
      },
    ];
  },

  async compare(bench: Bench) {
    const ours = await startImages(bench, await pictures(bench, 'hot'));
    const client = startChild<FastOrder, FastResult>('gateway/fast-load.ts');
    const path = `${ours.files.jpeg}?w=440&q=80`;
    const order = { port: ours.port, path, connections: CONNECTIONS, requests: bench.requests(30_000) };
    return {
      async 'a picture of some 30 KB'() {
        const before = cpuMilliseconds(ours.pid);
        const { perSecond } = await client.ask(order);
        return { perSecond, cpu: (cpuMilliseconds(ours.pid) - before) / order.requests };
      },
    };
  },
};
