import { runRedis } from '../../support/run-redis.ts';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { publishedItem } from '../gateway/published-item.ts';
import { startCluster } from './cluster.ts';
import { seenEverywhere } from './freshness.ts';

const GATEWAYS = 4;
const PUBLISHES = 300;
const TURNS = 3;

/** Publish to seen by all gateways, over links and with the stream in Redis, in turns. */
export const freshRedis: Measure = {
  name: 'fresh-redis',
  about: `${GATEWAYS} gateways of one core: publish → seen everywhere, over links and with feed: redis`,
  async run({ datasets, requests, progress }: Bench): Promise<readonly Figure[]> {
    const redis = await runRedis();
    try {
      const dataset = await datasets.of(1000);
      const sides = [];
      for (const [name, settings] of [
        ['links', {}],
        ['redis', { FEED: 'redis', REDIS_URL: redis.url }],
      ] as const) {
        const own = await datasets.copy(dataset, `scale-feed-${name}`);
        const cluster = await startCluster(datasets, own, { gateways: GATEWAYS, settings });
        const item = await publishedItem(await cluster.managed(), own);
        const urls = cluster.gateways.map(({ port }) => `http://127.0.0.1:${port}${item.path}`);
        sides.push({ name, cluster, item, urls, seen: [] as number[], version: 0 });
      }
      const count = Math.ceil(requests(PUBLISHES) / TURNS);
      // The first turn does not count.
      for (let turn = 0; turn <= TURNS; turn += 1)
        for (const side of sides) {
          progress(`${side.name}, turn ${turn}`);
          const seen = await seenEverywhere(side.urls, side.item, side.version, count);
          side.version += count;
          if (turn > 0) side.seen.push(...seen);
        }
      const streamed = await Promise.all(
        sides[1]!.cluster.gateways.map(async ({ port }) => {
          const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
          return Number(/^headwater_feed_stream_commits_total (\d+)$/m.exec(text)?.[1]);
        }),
      );
      return sides.map(({ name, seen }) => {
        seen.sort((one, other) => one - other);
        const least = Math.min(...streamed);
        return {
          name: `${name}: publish acknowledged → seen by all gateways, p99`,
          value: seen[Math.floor(seen.length * 0.99)]!,
          unit: 'ms',
          target: { atMost: 50 },
          detail: `p50 ${seen[Math.floor(seen.length / 2)]!.toFixed(1)} ms, ${seen.length} publishes${name === 'redis' ? `; the stream brought ${least} commits first, or more` : ''}`,
        } as const;
      });
    } finally {
      await redis.end();
    }
  },
  compare: { leftOut: 'an earlier version has no separate gateways' },
};
