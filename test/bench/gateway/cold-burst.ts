import { Agent, get } from 'node:http';
import type { Measure } from '../benchmark.ts';
import { callsOfCore, startCached } from './cached-service.ts';

const AT_ONCE = 500;

/** Many clients request the same page, which is not cached. */
export const coldBurst: Measure = {
  name: 'cold-burst',
  about: '500 identical requests at once for what is not kept: calls of core',
  async run({ datasets }) {
    const service = await startCached(await datasets.copy(await datasets.of(1000), 'cold-burst'));
    const path = service.itemsPath('limit=20&order=system.name');
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const ask = (address: string) =>
      new Promise<number>((resolve, reject) => {
        get({ port: service.port, path: address, agent }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
        }).once('error', reject);
      });
    // Connections first: the requests are to come at once.
    await Promise.all(Array.from({ length: AT_ONCE }, () => ask('/health/live')));
    const before = await callsOfCore(service);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(path)));
    agent.destroy();
    if (answers.some((status) => status !== 200)) throw new Error('Not all were answered.');
    const calls = (await callsOfCore(service)) - before;
    return [{ name: `calls of core for ${AT_ONCE}`, value: calls, unit: '×', target: { atMost: 1 } }];
  },

  compare: { leftOut: 'its figure is a number of calls with an exact target' },
};
