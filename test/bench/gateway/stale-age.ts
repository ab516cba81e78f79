import type { Measure } from '../benchmark.ts';
import { startCached } from './cached-service.ts';
import { publishedItem } from './published-item.ts';

const PUBLISHES = 200;
const READERS = 8;

/** How old does an answer get while the item is published all the time and read all the time? */
export const staleAge: Measure = {
  name: 'stale-age',
  about: 'reads without the wait header beside publishes: age of the oldest stale answer',
  async run({ datasets, requests }) {
    const dataset = await datasets.of(1000);
    const service = await startCached(await datasets.copy(dataset, 'stale-age'));
    const item = await publishedItem(service, dataset);
    const url = `http://127.0.0.1:${service.port}${item.path}`;
    /** When each version was acknowledged. */
    const acknowledged: number[] = [];
    const publish = async (version: number) => {
      await item.publish(`Version ${version}`);
      acknowledged[version] = performance.now();
    };
    await publish(0);
    let publishing = true;
    let oldest = 0;
    let reads = 0;
    const read = async () => {
      while (publishing) {
        const began = performance.now();
        const answer = await fetch(url);
        const body = (await answer.json()) as { item: { elements: { title: { value: string } } } };
        const version = Number(body.item.elements.title.value.slice('Version '.length));
        // Outdated since the next one was acknowledged, as far as that was before the reader asked.
        oldest = Math.max(oldest, began - (acknowledged[version + 1] ?? began));
        reads += 1;
      }
    };
    const reading = Promise.all(Array.from({ length: READERS }, read));
    for (let version = 1; version <= requests(PUBLISHES); version += 1) await publish(version);
    publishing = false;
    await reading;
    return [
      {
        name: 'oldest stale answer',
        value: oldest / 1000,
        unit: 's',
        target: { atMost: 1 },
        detail: `${reads} reads beside ${requests(PUBLISHES)} publishes`,
      },
    ];
  },

  compare: { leftOut: 'its figure is the greatest of a whole run with a target, not a speed' },
};
