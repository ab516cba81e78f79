import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Measure } from '../benchmark.ts';
import { startManaged } from '../management/managed-service.ts';

const SECONDS = 75;
const AT_ONCE = 4;

/** The plugin behind the limiter reads the clock a moment after it. */
const MOMENT_MS = 1;

/** One key, as fast as possible: how many calls are admitted, and is `Retry-After` right? */
export const greedyClient: Measure = {
  name: 'greedy-client',
  about:
    '75 s as fast as it goes at the real limits: most in a second, in a minute; Retry-After against the truth',
  async run({ datasets }) {
    const dataset = await datasets.of(1000);
    const folder = await datasets.folder('greedy-log');
    const log = join(folder, 'admitted.txt');
    const service = await startManaged(await datasets.copy(dataset, 'greedy'), {
      PIPELINE__OFF: 'docs',
      PIPELINE__OWN: fileURLToPath(new URL('right-behind.mjs', import.meta.url)),
      PIPELINE__ORDER__ADMIT: 'rate-limit,right-behind,usage',
      PLUGINS__RIGHT_BEHIND__FILE: log,
    });
    const path = `${service.base}/items`;
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const refused: { readonly at: number; readonly after: number }[] = [];
    const call = () =>
      new Promise<void>((resolve, reject) => {
        const { port } = service;
        get({ port, path, agent, headers: { ...service.headers } }, (answer) => {
          const after = answer.headers['retry-after'];
          if (answer.statusCode === 429)
            refused.push({ at: performance.timeOrigin + performance.now(), after: Number(after) * 1000 });
          answer.resume().once('end', resolve);
        }).once('error', reject);
      });
    const end = performance.now() + SECONDS * 1000;
    const callRepeatedly = async () => {
      while (performance.now() < end) await call();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, callRepeatedly));
    agent.destroy();
    await service.end();
    const admitted = (await readFile(log, 'utf8')).trim().split('\n').map(Number);
    const most = (span: number) => {
      let first = 0;
      let found = 0;
      admitted.forEach((at, last) => {
        while (at - admitted[first]! >= span - MOMENT_MS) first += 1;
        found = Math.max(found, last - first + 1);
      });
      return found;
    };
    const error = (isLong: boolean) => {
      let worst = 0;
      for (const { at, after } of refused) {
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
        detail: `${refused.length} refused`,
      },
      { name: 'Retry-After off by, at a second', value: error(false), unit: 's', target: { atMost: 1 } },
      { name: 'Retry-After off by, at a minute', value: error(true), unit: 's', target: { atMost: 5 } },
    ];
  },

  compare: { leftOut: 'it takes 75 s a turn and judges the limits, not a speed' },
};
