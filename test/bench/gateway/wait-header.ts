import type { Bench, Measure } from '../benchmark.ts';
import { median } from '../rounds.ts';
import { startCached } from './cached-service.ts';
import { publishedItem } from './published-item.ts';

const PUBLISHES = 300;

/** Does a reader with the wait header always get what was published, and what does that cost? */
export const waitHeader: Measure = {
  name: 'wait-header',
  about: 'publish acknowledged, GET with the wait header: shown always; p99 less the uncached p99',
  async run({ datasets, requests }) {
    const dataset = await datasets.of(1000);
    const ours = await startCached(await datasets.copy(dataset, 'wait-cached'));
    const bare = await startCached(await datasets.copy(dataset, 'wait-uncached'), {
      PIPELINE__OFF: 'response-cache,rate-limit',
    });
    const took = { ours: [] as number[], bare: [] as number[] };
    let missed = 0;
    const sides = { ours, bare } as const;
    const items = {
      ours: await publishedItem(ours, dataset),
      bare: await publishedItem(bare, dataset),
    };
    for (let round = 0; round < requests(PUBLISHES); round += 1) {
      for (const side of ['ours', 'bare'] as const) {
        const title = `Round ${round}`;
        await items[side].publish(title);
        const url = `http://127.0.0.1:${sides[side].port}${items[side].path}`;
        const { shown, milliseconds } = await waitingGet(url);
        took[side].push(milliseconds);
        if (shown !== title) missed += 1;
        // Cached, so that the next request finds an old answer.
        await (await fetch(url)).arrayBuffer();
      }
    }
    const p99 = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
    const [waiting, uncached] = [p99(took.ours), p99(took.bare)];
    return [
      { name: 'publishes that a waiting reader missed', value: missed, unit: '×', target: { atMost: 0 } },
      {
        name: 'added to the uncached answer at p99',
        value: waiting - uncached,
        unit: 'ms',
        target: { atMost: 10 },
        detail: `${waiting.toFixed(1)} ms against ${uncached.toFixed(1)} ms`,
      },
    ];
  },

  async compare({ datasets, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const service = await startCached(await datasets.copy(dataset, 'wait-cached'));
    const item = await publishedItem(service, dataset);
    let version = 0;
    return {
      async 'GET with the wait header after a publish'() {
        const took: number[] = [];
        for (let round = 0; round < requests(PUBLISHES); round += 1) {
          const title = `Version ${version++}`;
          await item.publish(title);
          const { shown, milliseconds } = await waitingGet(`http://127.0.0.1:${service.port}${item.path}`);
          if (shown !== title) throw new Error(`The waiting reader got '${shown}' instead of '${title}'.`);
          took.push(milliseconds);
        }
        return { p50: median(took) };
      },
    };
  },
};

async function waitingGet(url: string): Promise<{ readonly shown: string; readonly milliseconds: number }> {
  const began = performance.now();
  const answer = await fetch(url, {
    headers: { 'x-svc-wait-for-loading-new-content': 'true', 'accept-encoding': 'identity' },
  });
  const { item } = (await answer.json()) as { item: { elements: { title: { value: string } } } };
  return { shown: item.elements.title.value, milliseconds: performance.now() - began };
}
