import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { listingPath, startCached } from '../gateway/cached-service.ts';
import type { FastOrder, FastResult } from '../gateway/fast-load.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import type { Service } from '../service.ts';

const CONNECTIONS = 32;
const LONGEST_RELOAD_MS = 15_000;
const WITHOUT_CONSOLE = `
  surfaces: { core-proxy: [delivery, preview, manage, assets, admin] }`;

/**
 * What the console costs those who do not use it. One process has it and has it not in turns, by reloads: the CPU of two
 * processes with the same settings differs by up to 15 %, as the compiler of each decides.
 */
export const deliveryBeside: Measure = {
  name: 'delivery-beside',
  about:
    'a cached listing of 8–10 kB, 32 connections: requests per second of CPU with the console enabled ÷ disabled, by reloads of one service',
  async run({ datasets, rounds, requests }: Bench) {
    const folder = await datasets.folder('console-beside-settings');
    await mkdir(join(folder, 'plugins'));
    const set = async (title: string | undefined) => {
      const off = `rate-limit${title === undefined ? ', console, session' : ''}`;
      const surfaces = title === undefined ? WITHOUT_CONSOLE : '';
      await writeFile(join(folder, 'headwater.yaml'), `pipeline:\n  off: [${off}]${surfaces}\n`);
      await writeFile(join(folder, 'plugins/console.yaml'), `title: ${title ?? 'off'}\n`);
    };
    await set('first');
    const service = await startCached(await datasets.copy(await datasets.of(1000), 'console-beside'), {
      CONFIG: folder,
      // Settings of the environment precede those of the files.
      PIPELINE__OFF: '',
    });
    const path = await listingPath(service);
    const load = turns(requests, 20_000);
    const turn = (title: string | undefined) => async () => {
      await set(title);
      process.kill(service.pid, 'SIGHUP');
      await reloaded(service, title);
      await load(service, path)();
      return load(service, path)();
    };
    const found = await takeTurns(2 * rounds, {
      enabled: turn('enabled'),
      disabled: turn(undefined),
      again: turn('again'),
    });
    const perCpu = (side: keyof typeof found) => found[side].map(({ cpu }) => 1 / cpu);
    const micros = (side: keyof typeof found) =>
      `${(median(found[side].map(({ cpu }) => cpu)) * 1000).toFixed(1)} µs`;
    const figures: Figure[] = [
      {
        name: 'console enabled ÷ disabled',
        ...compared(perCpu('enabled'), perCpu('disabled')),
        unit: '×',
        target: { atLeast: 0.99 },
        detail: `${micros('enabled')} and ${micros('disabled')} of CPU each`,
      },
      {
        name: 'the same settings ÷ themselves',
        ...compared(perCpu('enabled'), perCpu('again')),
        unit: '×',
        detail: 'what the measurement finds where nothing differs',
      },
    ];
    return figures;
  },

  async compare({ datasets, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const service = await startCached(await datasets.copy(dataset, 'console-enabled'));
    return { 'a cached listing': turns(requests)(service, await listingPath(service)) };
  },
};

/** Waits until the service has the console with this title; undefined = none. */
async function reloaded({ port }: Service, title: string | undefined): Promise<void> {
  const limit = performance.now() + LONGEST_RELOAD_MS;
  while (performance.now() < limit) {
    const answer = await fetch(`http://127.0.0.1:${port}/console/`);
    const text = await answer.text();
    if (title === undefined ? !answer.ok : text.includes(`data-title="${title}"`)) return;
    await pause(20);
  }
  throw new Error(`The service did not take the settings within ${LONGEST_RELOAD_MS / 1000} s.`);
}

/** Turns of requests for a cached listing. @param full their number, unless the run is quick */
export function turns(requests: Bench['requests'], full = 120_000) {
  const load = startChild<FastOrder, FastResult>('gateway/fast-load.ts');
  const count = requests(full);
  const headers = { 'Accept-Encoding': 'identity' };
  return ({ pid, port }: Pick<Service, 'pid' | 'port'>, path: string) =>
    async () => {
      const before = cpuMilliseconds(pid);
      const order = { port, path, connections: CONNECTIONS, requests: count, headers };
      const { perSecond } = await load.ask(order);
      return { perSecond, cpu: (cpuMilliseconds(pid) - before) / count };
    };
}
