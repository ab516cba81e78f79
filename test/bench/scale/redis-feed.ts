import { setTimeout as pause } from 'node:timers/promises';
import { connectCore } from '../../../core/remote/client/connect-core.ts';
import { CommitReader } from '../../../gateway/redis/commit-reader.ts';
import { runRedis } from '../../support/programs/run-redis.ts';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { type PublishedItem, publishedItem } from '../gateway/published-item.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { INTERNAL_TOKEN, startCluster } from './cluster.ts';
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

const FOLLOWERS = 40;
const MANY_PUBLISHES = 400;

interface Side {
  readonly name: string;
  readonly item: PublishedItem;
  /** Of the core. */
  readonly pid: number;
  /** For each publish, in milliseconds. */
  readonly cpu: number[];
  version: number;
}

/** What many gateways cost a core for each publish, over links and with the stream. */
export const manyGateways: Measure = {
  name: 'many-gateways',
  about: `CPU of a core for a publish that ${FOLLOWERS} gateways follow, with feed: redis ÷ over links`,
  async run({ datasets, requests, rounds, progress }: Bench): Promise<readonly Figure[]> {
    const redis = await runRedis();
    const open: { close(): Promise<unknown> }[] = [];
    try {
      const dataset = await datasets.of(1000);
      const address = {
        url: redis.url,
        prefix: 'headwater',
        sentinel: null,
        cluster: false,
        certificateAuthority: undefined,
      };
      const sides: Side[] = [];
      for (const [name, settings] of [
        ['links', {}],
        ['redis', { FEED: 'redis', REDIS_URL: redis.url }],
      ] as const) {
        const own = await datasets.copy(dataset, `scale-many-${name}`);
        const cluster = await startCluster(datasets, own, { settings });
        const item = await publishedItem(await cluster.managed(), own);
        const core = cluster.cores[0]!;
        await Promise.all(
          Array.from({ length: FOLLOWERS }, async (_, index) => {
            const stream = name === 'redis' ? new CommitReader(address) : undefined;
            await stream?.start();
            const state = { role: 'gateway', instance: `f-${index}`, version: '0', started: '' } as const;
            const follower = connectCore({
              cores: [`127.0.0.1:${core.port}`],
              token: INTERNAL_TOKEN,
              process: () => ({ ...state, address: null, configuration: null, protocol: null }),
              stream,
              log: { info() {}, warn() {}, error() {} },
            });
            open.unshift(follower, ...(stream ? [stream] : []));
            await follower.greeted();
          }),
        );
        sides.push({ name, item, pid: core.pid, cpu: [], version: 0 });
      }
      const count = Math.ceil(requests(MANY_PUBLISHES) / rounds);
      for (let round = 0; round <= rounds; round += 1)
        for (const side of sides) {
          progress(`${side.name}, round ${round}`);
          const began = cpuMilliseconds(side.pid);
          for (const last = side.version + count; side.version < last; side.version += 1)
            await side.item.publish(`Version ${side.version}`);
          await pause(300);
          if (round > 0) side.cpu.push((cpuMilliseconds(side.pid) - began) / count);
        }
      const ratios = sides[1]!.cpu.map((cpu, at) => cpu / sides[0]!.cpu[at]!).sort((one, two) => one - two);
      const middle = (values: readonly number[]) =>
        values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)]!;
      return [
        {
          name: `publish followed by ${FOLLOWERS} gateways, CPU of the core, with the stream ÷ without`,
          value: middle(ratios),
          unit: '×',
          spread: [ratios[0]!, ratios.at(-1)!],
          detail: `${middle(sides[1]!.cpu).toFixed(1)} and ${middle(sides[0]!.cpu).toFixed(1)} ms`,
        },
      ];
    } finally {
      for (const part of open) await part.close();
      await redis.end();
    }
  },
  compare: { leftOut: 'an earlier version has no separate gateways' },
};
