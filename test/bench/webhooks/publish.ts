import { setTimeout } from 'node:timers/promises';
import type { Bench, Measure } from '../benchmark.ts';
import { LANGUAGE, type ManagedService, startManaged, tenElements } from '../management/managed-service.ts';
import { compared, median } from '../rounds.ts';
import { startParts } from './parts.ts';

const WEBHOOKS = 10;
const PUBLISHES = 100;
/** Until the last publish is told and recorded, ms. */
const QUIET = 50;

/** What being told costs whoever publishes. */
export const publish: Measure = {
  name: 'publish',
  about: `publish with ${WEBHOOKS} webhooks ÷ publish with none, time of the call`,
  async run(bench: Bench) {
    const parts = await startParts(bench);
    const dataset = await bench.datasets.of(1000);
    const settings = { WEBHOOKS__ALLOW: '["127.0.0.0/8"]' };
    const sides: Record<'told' | 'alone', ManagedService> = {
      told: await startManaged(await bench.datasets.copy(dataset, 'told'), settings),
      alone: await startManaged(await bench.datasets.copy(dataset, 'alone'), settings),
    };
    for (const url of parts.urls('well', WEBHOOKS))
      await sides.told.call('POST', '/webhooks', {
        name: 'Bench',
        url,
        secret: 'a-secret-of-the-benchmark',
        triggers: { delivery_api_content_changes: [], workflow_step_changes: [] },
      });
    const variant = `/items/external-id/told/variants/${LANGUAGE}`;
    for (const service of Object.values(sides)) {
      await service.call('PUT', '/items/external-id/told', { name: 'Told', type: { codename: 'article' } });
      await service.call('PUT', variant, tenElements());
      await service.call('PUT', `${variant}/publish`);
    }
    const one = async (service: ManagedService) => {
      await service.call('PUT', `${variant}/new-version`);
      await setTimeout(QUIET);
      const began = performance.now();
      await service.call('PUT', `${variant}/publish`);
      const took = performance.now() - began;
      await setTimeout(QUIET);
      return took;
    };
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
    const { received } = await parts.receiver.ask({ do: 'keep', bodies: true });
    await one(sides.told);
    await setTimeout(300);
    const told = (await parts.receiver.ask({ do: 'take' })).received.length + received.length;
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
};
