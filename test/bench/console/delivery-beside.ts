import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { listingPath, startCached } from '../gateway/cached-service.ts';
import type { FastOrder, FastResult } from '../gateway/fast-load.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import type { Service } from '../service.ts';

const CONNECTIONS = 32;

/** What the console costs those who do not use it. */
export const deliveryBeside: Measure = {
  name: 'delivery-beside',
  about: 'a cached listing of 8–10 kB, 32 connections: requests/s with the console enabled ÷ disabled',
  async run({ datasets, rounds, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const enabled = await startCached(await datasets.copy(dataset, 'console-enabled'));
    const disabled = await startCached(await datasets.copy(dataset, 'console-disabled'), {
      PIPELINE__OFF: 'rate-limit,console,session',
      PIPELINE__SURFACES: '{"core-proxy":["delivery","preview","manage","assets","admin"]}',
    });
    const path = await listingPath(enabled);
    await listingPath(disabled);
    const turn = turns(requests);
    const found = await takeTurns(rounds, {
      enabled: turn(enabled, path),
      disabled: turn(disabled, path),
    });
    const figure: Figure = {
      name: 'console enabled ÷ disabled',
      ...compared(rates(found.enabled), rates(found.disabled)),
      unit: '×',
      target: { atLeast: 0.99 },
      detail: `${median(rates(found.enabled)).toFixed(0)}/s ÷ ${median(rates(found.disabled)).toFixed(0)}/s`,
    };
    return [figure];
  },

  async compare({ datasets, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const service = await startCached(await datasets.copy(dataset, 'console-enabled'));
    return { 'a cached listing': turns(requests)(service, await listingPath(service)) };
  },
};

/** Turns of requests for a cached listing. */
export function turns(requests: Bench['requests']) {
  const load = startChild<FastOrder, FastResult>('gateway/fast-load.ts');
  const count = requests(120_000);
  const headers = { 'Accept-Encoding': 'identity' };
  return ({ pid, port }: Pick<Service, 'pid' | 'port'>, path: string) =>
    async () => {
      const before = cpuMilliseconds(pid);
      const order = { port, path, connections: CONNECTIONS, requests: count, headers };
      const { perSecond } = await load.ask(order);
      return { perSecond, cpu: (cpuMilliseconds(pid) - before) / count };
    };
}

const rates = (turns: readonly { readonly perSecond: number }[]) => turns.map(({ perSecond }) => perSecond);
