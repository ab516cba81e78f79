import type { Bench, Measure } from '../benchmark.ts';
import { publishedItem } from '../gateway/published-item.ts';
import { startCluster } from './cluster.ts';

const GATEWAYS = 4;
const PUBLISHES = 200;

/** Reads by four gateways of one core while an item is published again and again. */
export const freshEverywhere: Measure = {
  name: 'fresh-everywhere',
  about: `${GATEWAYS} gateways, reads while publishing: stale answers with and without the wait header; publish → seen everywhere`,
  async run({ datasets, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const cluster = await startCluster(datasets, await datasets.copy(dataset, 'scale-fresh'), {
      gateways: GATEWAYS,
    });
    const service = await cluster.managed();
    const item = await publishedItem(service, dataset);
    const urls = cluster.gateways.map(({ port }) => `http://127.0.0.1:${port}${item.path}`);
    /** When each version was acknowledged. */
    const acknowledged: number[] = [];
    let oldest = 0;
    let missed = 0;
    let reads = 0;
    let publishing = true;
    const reader = async (url: string, wait: boolean) => {
      while (publishing) {
        const newest = acknowledged.length - 1;
        const began = performance.now();
        const version = await shown(url, wait);
        reads += 1;
        if (wait && version < newest) missed += 1;
        if (!wait) oldest = Math.max(oldest, began - (acknowledged[version + 1] ?? began));
      }
    };
    const publish = async (version: number) => {
      await item.publish(`Version ${version}`);
      acknowledged[version] = performance.now();
    };
    await publish(0);
    const reading = Promise.all(urls.flatMap((url) => [reader(url, true), reader(url, false)]));
    for (let version = 1; version <= requests(PUBLISHES); version += 1) await publish(version);
    publishing = false;
    await reading;

    const seen: number[] = [];
    for (let version = requests(PUBLISHES) + 1; version <= 2 * requests(PUBLISHES); version += 1) {
      await publish(version);
      await Promise.all(
        urls.map(async (url) => {
          while ((await shown(url, false)) < version);
        }),
      );
      seen.push(performance.now() - acknowledged[version]!);
    }
    seen.sort((one, other) => one - other);
    const detail = `${reads} reads beside ${requests(PUBLISHES)} publishes`;
    return [
      { name: 'stale answers with the wait header', value: missed, unit: '×', target: { atMost: 0 }, detail },
      {
        name: 'oldest stale answer without it',
        value: oldest / 1000,
        unit: 's',
        target: { atMost: 1 },
        detail,
      },
      {
        name: 'publish acknowledged → seen by all gateways, p99',
        value: seen[Math.floor(seen.length * 0.99)]!,
        unit: 'ms',
        target: { atMost: 50 },
        detail: `p50 ${seen[Math.floor(seen.length / 2)]!.toFixed(1)} ms`,
      },
    ];
  },
  compare: { leftOut: 'an earlier version has no separate gateways' },
};

async function shown(url: string, wait: boolean): Promise<number> {
  const headers: Record<string, string> = wait ? { 'x-svc-wait-for-loading-new-content': 'true' } : {};
  const answer = await fetch(url, { headers });
  const body = (await answer.json()) as { item: { elements: { title: { value: string } } } };
  return Number(body.item.elements.title.value.slice('Version '.length));
}
