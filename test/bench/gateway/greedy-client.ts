import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import type { Measure } from '../benchmark.ts';
import { startManaged } from '../management/managed-service.ts';

const SECONDS = 75;
const AT_ONCE = 4;

interface Line {
  readonly surface: string;
  readonly path: string;
  readonly status: number;
  /** When it came in, by the server's clock, in milliseconds. */
  readonly at: number;
}

/** One key, as fast as it goes: what gets through, and is what the refused are told true? */
export const greedyClient: Measure = {
  name: 'greedy-client',
  about:
    '75 s as fast as it goes at the real limits: most in a second, in a minute; Retry-After against the truth',
  async run({ datasets }) {
    const dataset = await datasets.of(1000);
    const folder = await datasets.folder('greedy-log');
    const log = join(folder, 'access.log');
    const service = await startManaged(await datasets.copy(dataset, 'greedy'), {
      PIPELINE__OFF: 'docs',
      PLUGINS__ACCESS_LOG__FILE: log,
    });
    const path = `${service.base}/items`;
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const told: { readonly at: number; readonly after: number }[] = [];
    const call = () =>
      new Promise<void>((resolve, reject) => {
        const { port } = service;
        get({ port, path, agent, headers: { ...service.headers } }, (answer) => {
          const after = answer.headers['retry-after'];
          if (answer.statusCode === 429) told.push({ at: Date.now(), after: Number(after) * 1000 });
          answer.resume().once('end', resolve);
        }).once('error', reject);
      });
    const end = performance.now() + SECONDS * 1000;
    const hammer = async () => {
      while (performance.now() < end) await call();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, hammer));
    agent.destroy();
    await service.end();
    const admitted = (await readFile(log, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('"surface":"manage"'))
      .map((text): Line => {
        const { surface, path: where, status, time, ms } = JSON.parse(text);
        return { surface, path: where, status, at: Date.parse(time) - ms };
      })
      .filter(({ status }) => status !== 429)
      .map(({ at }) => at)
      .sort((a, b) => a - b);
    const most = (span: number) => {
      let first = 0;
      let found = 0;
      admitted.forEach((at, last) => {
        while (at - admitted[first]! >= span) first += 1;
        found = Math.max(found, last - first + 1);
      });
      return found;
    };
    const error = (isLong: boolean) => {
      let worst = 0;
      for (const { at, after } of told) {
        const next = admitted.find((one) => one >= at);
        if (next === undefined || after > 2000 !== isLong) continue;
        worst = Math.max(worst, Math.abs(next - (at + after)));
      }
      return worst / 1000;
    };
    return [
      { name: 'most in a rolling second', value: most(1000), unit: '×', target: { atMost: 10 } },
      { name: 'most in a rolling minute', value: most(60_000), unit: '×', target: { atMost: 400 } },
      {
        name: 'admitted in all',
        value: admitted.length,
        unit: '×',
        detail: `${told.length} refused`,
      },
      { name: 'Retry-After off by, at a second', value: error(false), unit: 's', target: { atMost: 1 } },
      { name: 'Retry-After off by, at a minute', value: error(true), unit: 's', target: { atMost: 5 } },
    ];
  },
};
