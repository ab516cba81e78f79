import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Bench, Measure } from '../benchmark.ts';
import { startWrk, type Turn } from '../http-load.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startImages } from './image-service.ts';
import { startNginx } from './peers.ts';
import { images } from './sources.ts';

/** nginx writes these itself. */
const OF_NGINX = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'content-type',
  'etag',
  'accept-ranges',
]);

/** What an image costs that was made before. */
export const hot: Measure = {
  name: 'hot',
  about:
    'a result of some 30 KB requested repeatedly: requests/s ÷ nginx sending the same bytes and headers from a file',
  async run(bench: Bench) {
    const { folder, ours, path, headers, body } = await startHot(bench);
    await writeFile(join(folder, 'hot.jpeg'), body);
    const one = await startNginx(folder, 1, headers);
    const all = await startNginx(folder, 'auto', headers);
    const wrk = await startWrk(bench.requests(3));
    const answer = { headers, body };
    const turnOf = (pid: number, port: number, to: string) =>
      wrk(pid, { url: `http://127.0.0.1:${port}${to}`, answer });
    const found = await takeTurns(bench.rounds, {
      ours: turnOf(ours.pid, ours.port, path),
      one: turnOf(one.pids()[0]!, one.port, '/files/hot.jpeg'),
      // Its CPU is not reported: that of one of its workers is not all.
      all: turnOf(all.pids()[0]!, all.port, '/files/hot.jpeg'),
    });
    const speeds = (turns: readonly Turn[]) => turns.map(({ perSecond }) => perSecond);
    const cpu = (turns: readonly Turn[]) => `${(1000 * median(turns.map((turn) => turn.cpu))).toFixed(1)} µs`;
    const rates = (turns: readonly Turn[]) =>
      `${median(speeds(found.ours)).toFixed(0)}/s ÷ ${median(speeds(turns)).toFixed(0)}/s of ${(body.length / 1000).toFixed(0)} KB`;
    return [
      {
        name: 'requests/s ÷ nginx static file, one worker each',
        ...compared(speeds(found.ours), speeds(found.one)),
        unit: '×' as const,
        target: { atLeast: 0.9 },
        detail: `${rates(found.one)}; CPU ${cpu(found.ours)} against ${cpu(found.one)}`,
      },
      {
        name: 'requests/s ÷ nginx static file, a worker for each processor',
        ...compared(speeds(found.ours), speeds(found.all)),
        unit: '×' as const,
        detail: rates(found.all),
      },
    ];
  },

  async compare(bench: Bench) {
    const { ours, path } = await startHot(bench);
    const wrk = await startWrk(bench.requests(3));
    return { 'an image of some 30 KB': wrk(ours.pid, { url: `http://127.0.0.1:${ours.port}${path}` }) };
  },
};

async function startHot(bench: Bench) {
  const folder = await images(bench, 'hot');
  const ours = await startImages(bench, folder);
  const path = `${ours.files.jpeg}?w=440&q=80`;
  // The first request makes it.
  await read(ours.port, path);
  const { status, type, headers, body } = await read(ours.port, path);
  if (status !== 200 || type !== 'image/jpeg' || body.length > 100_000) {
    throw new Error(`No image of some 30 KB came: ${status}, ${body.length} bytes.`);
  }
  return { folder, ours, path, headers, body };
}

interface Image {
  readonly status: number;
  readonly type: string | undefined;
  /** Names and values in turn, without those that nginx writes itself. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

function read(port: number, path: string): Promise<Image> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path }, (answer) => {
      const { rawHeaders, statusCode = 0, headers: named } = answer;
      const headers = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 && !OF_NGINX.has(name.toLowerCase()) ? [name, rawHeaders[at + 1]!] : [],
      );
      buffer(answer).then(
        (body) => resolve({ status: statusCode, type: named['content-type'], headers, body }),
        reject,
      );
    }).once('error', reject);
  });
}
