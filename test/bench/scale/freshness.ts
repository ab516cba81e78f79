import type { Figure } from '../benchmark.ts';
import type { Dataset } from '../datasets.ts';
import { type PublishedItem, publishedItem } from '../gateway/published-item.ts';
import type { Cluster } from './cluster.ts';

/** Ways to read: must show what was acknowledged before (the first two), or may be a little older. */
const READS = ['wait', 'sequence', 'plain'] as const;

export interface FreshnessCounts {
  /** Publishes one after another while all gateways are read, and as many that wait until all show it. */
  readonly publishes: number;
  /** Reads beside the publishes, at least. */
  readonly reads: number;
}

/** Reads of all gateways while an item is published again and again. */
export async function freshness(
  cluster: Cluster,
  dataset: Dataset,
  counts: FreshnessCounts,
): Promise<Figure[]> {
  const item = await publishedItem(await cluster.managed(), dataset);
  const urls = cluster.gateways.map(({ port }) => `http://127.0.0.1:${port}${item.path}`);
  /** When each version was acknowledged. */
  const acknowledged: number[] = [];
  let sequence = '';
  let oldest = 0;
  let missed = 0;
  let reads = 0;
  let publishing = true;
  const reader = async (url: string, read: (typeof READS)[number]) => {
    while (publishing) {
      const newest = acknowledged.length - 1;
      const began = performance.now();
      const version = await shownVersion(url, headersOf(read, sequence));
      reads += 1;
      if (read !== 'plain' && version < newest) missed += 1;
      if (read === 'plain') oldest = Math.max(oldest, began - (acknowledged[version + 1] ?? began));
    }
  };
  const publish = async (version: number) => {
    const published = await item.publish(`Version ${version}`);
    acknowledged[version] = performance.now();
    sequence = published;
  };
  await publish(0);
  const reading = Promise.all(urls.flatMap((url) => READS.map((read) => reader(url, read))));
  let version = 1;
  for (; version <= counts.publishes || reads < counts.reads; version += 1)
    await Promise.race([publish(version), reading]);
  publishing = false;
  await reading;

  const beside = version - 1;
  const seen = await seenEverywhere(urls, item, version, counts.publishes);
  const detail = `${reads} reads beside ${beside} publishes`;
  return [
    {
      name: 'stale answers with the wait header or a sequence',
      value: missed,
      unit: '×',
      target: { atMost: 0 },
      detail,
    },
    { name: 'oldest stale answer without', value: oldest / 1000, unit: 's', target: { atMost: 1 }, detail },
    {
      name: 'publish acknowledged → seen by all gateways, p99',
      value: seen[Math.floor(seen.length * 0.99)]!,
      unit: 'ms',
      target: { atMost: 50 },
      detail: `p50 ${seen[Math.floor(seen.length / 2)]!.toFixed(1)} ms`,
    },
  ];
}

/** @returns times from the answer to a publish until all show it, the shortest first */
export async function seenEverywhere(
  urls: readonly string[],
  item: PublishedItem,
  first: number,
  publishes: number,
): Promise<number[]> {
  const seen: number[] = [];
  for (let version = first; version < first + publishes; version += 1) {
    await item.publish(`Version ${version}`);
    const acknowledged = performance.now();
    await Promise.all(
      urls.map(async (url) => {
        while ((await shownVersion(url)) < version);
      }),
    );
    seen.push(performance.now() - acknowledged);
  }
  return seen.sort((one, other) => one - other);
}

export const WAIT = { 'x-svc-wait-for-loading-new-content': 'true' };

function headersOf(read: (typeof READS)[number], sequence: string): Record<string, string> {
  if (read === 'wait') return WAIT;
  return read === 'sequence' ? { 'x-svc-content-sequence': sequence } : {};
}

/** The item's version in an answer. */
export async function shownVersion(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const answer = await fetch(url, { headers });
  const body = (await answer.json()) as { item: { elements: { title: { value: string } } } };
  return Number(body.item.elements.title.value.slice('Version '.length));
}
