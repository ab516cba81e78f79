import { setTimeout } from 'node:timers/promises';
import type { Bench, Measure } from '../benchmark.ts';
import { memoryOf } from '../process-usage.ts';
import { median } from '../rounds.ts';
import { startCluster } from './cluster.ts';

/** V8 collects the garbage of the start when a process is idle, after eight to twenty seconds. */
const REST_MS = 20_000;
const MEGABYTE = 1024 * 1024;

/** How soon a further gateway serves, and what it holds at rest. */
export const gatewayStart: Measure = {
  name: 'gateway-start',
  about: 'a gateway beside a running core: start to the first 200 of /health/ready; memory after 20 s',
  async run({ datasets, rounds }: Bench) {
    const dataset = await datasets.of(1000);
    const cluster = await startCluster(datasets, await datasets.copy(dataset, 'scale-start'), {
      gateways: 0,
    });
    const took: number[] = [];
    const memory: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now();
      const gateway = await cluster.addGateway();
      took.push((performance.now() - began) / 1000);
      await setTimeout(REST_MS);
      memory.push(memoryOf(gateway.pid).total / MEGABYTE);
      await gateway.end();
    }
    return [
      { name: 'start to the first 200', value: median(took), unit: 's', target: { atMost: 1 } },
      { name: 'resident memory at rest', value: median(memory), unit: 'MB', target: { atMost: 110 } },
    ];
  },
  compare: { leftOut: 'an earlier version has no separate gateway' },
};
