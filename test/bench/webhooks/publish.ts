import { setTimeout } from 'node:timers/promises';
import type { Bench, Measure } from '../benchmark.ts';
import { compared, median } from '../rounds.ts';
import { startReceiver } from './parts.ts';
import { type PublishingService, startPublishing } from './publishing-service.ts';

const WEBHOOKS = 10;
const PUBLISHES = 100;
/** Until the notifications of the last publish are sent and recorded, ms. */
const QUIET = 50;

/** What notifications add to the time of a publish. */
export const publish: Measure = {
  name: 'publish',
  about: `publish with ${WEBHOOKS} webhooks ÷ publish with none, time of the call`,
  async run(bench: Bench) {
    const receiver = await startReceiver();
    const sides = {
      notified: await startPublishing(bench.datasets, 'notified', receiver.urls('healthy', WEBHOOKS)),
      alone: await startPublishing(bench.datasets, 'alone', []),
    };
    for (const service of Object.values(sides)) await service.publish();
    const found = { notified: [] as number[], alone: [] as number[] };
    const count = bench.requests(PUBLISHES);
    for (let round = -1; round < bench.rounds; round++) {
      const times = { notified: [] as number[], alone: [] as number[] };
      for (let turn = 0; turn < count; turn++)
        for (const side of ['notified', 'alone'] as const) times[side].push(await one(sides[side]));
      if (round < 0) continue;
      found.notified.push(median(times.notified));
      found.alone.push(median(times.alone));
    }
    await receiver.child.ask({ do: 'take' });
    await one(sides.notified);
    await setTimeout(300);
    const notified = (await receiver.child.ask({ do: 'take' })).received.length;
    if (notified !== WEBHOOKS) throw new Error(`A publish notified ${notified} of ${WEBHOOKS} webhooks.`);
    return [
      {
        name: `publish with ${WEBHOOKS} webhooks ÷ none`,
        ...compared(found.notified, found.alone),
        unit: '×' as const,
        target: { atMost: 1.1 },
        detail: `${median(found.notified).toFixed(2)} and ${median(found.alone).toFixed(2)} ms`,
      },
    ];
  },

  async compare({ datasets, requests }: Bench) {
    const receiver = await startReceiver();
    const service = await startPublishing(datasets, 'notified', receiver.urls('healthy', WEBHOOKS));
    await service.publish();
    return {
      async [`publish with ${WEBHOOKS} webhooks`]() {
        const times: number[] = [];
        for (let turn = 0; turn < requests(PUBLISHES); turn++) times.push(await one(service));
        return { p50: median(times) };
      },
    };
  },
};

async function one({ newVersion, publish }: PublishingService): Promise<number> {
  await newVersion();
  await setTimeout(QUIET);
  const began = performance.now();
  await publish();
  const took = performance.now() - began;
  await setTimeout(QUIET);
  return took;
}
