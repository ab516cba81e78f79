import { setTimeout } from 'node:timers/promises';
import type { Bench, Measure } from '../benchmark.ts';
import { compared, median } from '../rounds.ts';
import { startReceiver } from './parts.ts';
import { type PublishingService, startPublishing } from './publishing-service.ts';

const WEBHOOKS = 10;
const PUBLISHES = 100;
/** Until the last publish is told and recorded, ms. */
const QUIET = 50;

/** What being told costs whoever publishes. */
export const publish: Measure = {
  name: 'publish',
  about: `publish with ${WEBHOOKS} webhooks ÷ publish with none, time of the call`,
  async run(bench: Bench) {
    const receiver = await startReceiver();
    const sides = {
      told: await startPublishing(bench.datasets, 'told', receiver.urls('well', WEBHOOKS)),
      alone: await startPublishing(bench.datasets, 'alone', []),
    };
    for (const service of Object.values(sides)) await service.publish();
    const found = { told: [] as number[], alone: [] as number[] };
    const count = bench.requests(PUBLISHES);
    for (let round = -1; round < bench.rounds; round++) {
      const times = { told: [] as number[], alone: [] as number[] };
      for (let turn = 0; turn < count; turn++)
        for (const side of ['told', 'alone'] as const) times[side].push(await one(sides[side]));
      if (round < 0) continue;
      found.told.push(median(times.told));
      found.alone.push(median(times.alone));
    }
    await receiver.child.ask({ do: 'take' });
    await one(sides.told);
    await setTimeout(300);
    const told = (await receiver.child.ask({ do: 'take' })).received.length;
    if (told !== WEBHOOKS) throw new Error(`A publish told ${told} of ${WEBHOOKS} webhooks.`);
    return [
      {
        name: `publish with ${WEBHOOKS} webhooks ÷ none`,
        ...compared(found.told, found.alone),
        unit: '×' as const,
        target: { atMost: 1.1 },
        detail: `${median(found.told).toFixed(2)} and ${median(found.alone).toFixed(2)} ms`,
      },
    ];
  },

  async compare({ datasets, requests }: Bench) {
    const receiver = await startReceiver();
    const service = await startPublishing(datasets, 'told', receiver.urls('well', WEBHOOKS));
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
