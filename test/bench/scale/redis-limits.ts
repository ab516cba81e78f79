import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'redis';
import { LocalLimiter } from '../../../plugins/counters/local-limiter.ts';
import { type RunningRedis, runRedis } from '../../support/programs/run-redis.ts';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { type Cluster, startCluster } from './cluster.ts';

const GATEWAYS = 4;
const SECONDS = 75;
/** 10 a second for 40 seconds, nothing until the minute is over, and 10 a second again. */
const EXACT = 400 + 10 * (SECONDS - 60);
const PAIRS = 2000;
const AWAY_SECONDS = 8;
const NO_LIMITS = {
  PLUGINS__RATE_LIMIT__LIMITS__SECOND: '10000',
  PLUGINS__RATE_LIMIT__LIMITS__MINUTE: '1000000',
  PLUGINS__RATE_LIMIT__LIMITS__HOUR: '10000000',
};
const LEFT_OUT = { leftOut: 'an earlier version has no separate gateways' };

interface Target {
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** A key that calls all the time over several gateways, by the clock of Redis. */
export const redisLimits: Measure = {
  name: 'redis-limits',
  about: `one greedy key over ${GATEWAYS} gateways for ${SECONDS} s, by the clock of Redis`,
  async run({ datasets, progress }: Bench): Promise<readonly Figure[]> {
    const redis = await runRedis();
    try {
      const dataset = await datasets.copy(await datasets.of(1000), 'scale-limits');
      const greedy = await startCluster(datasets, dataset, {
        gateways: GATEWAYS,
        settings: { PIPELINE__OFF: '', REDIS_URL: redis.url },
      });
      const target = await targetOf(greedy);
      const times = await recordAdmissions(redis);
      progress(`${SECONDS} seconds of one key`);
      const ends = performance.now() + SECONDS * 1000;
      const counts = await callAllTheTime(target, () => performance.now() < ends);
      const admitted = await times.end();
      const charged = await chargedOf(redis);
      const allowed = allowedFrom(admitted[0]!);
      const detail = `${counts.admitted} admitted, ${counts.rejected} rejected`;
      return [
        {
          name: 'most calls in a second',
          value: mostIn(admitted, 1000),
          unit: '×',
          target: { atMost: 10 },
          detail,
        },
        {
          name: 'most calls in a minute',
          value: mostIn(admitted, 60_000),
          unit: '×',
          target: { atMost: 400 },
        },
        {
          name: 'admitted ÷ what one limiter admits to a client that calls each millisecond',
          value: admitted.length / allowed,
          unit: '×',
          target: { atLeast: 0.97 },
          detail: `${admitted.length} of ${allowed}`,
        },
        {
          name: 'admitted ÷ what exact windows would allow',
          value: admitted.length / EXACT,
          unit: '×',
          detail: `of ${EXACT}; a minute is counted in parts of 3 s`,
        },
        {
          name: 'rejected calls that were charged',
          value: charged - counts.admitted,
          unit: '×',
          target: { atMost: 0 },
        },
      ];
    } finally {
      await redis.end();
    }
  },
  compare: LEFT_OUT,
};

/** What the shared limit adds to a call: a gateway with Redis and one without, in turns. */
export const redisAdded: Measure = {
  name: 'redis-added',
  about: 'time that the shared limit adds to a call',
  async run({ datasets, requests, progress }: Bench): Promise<readonly Figure[]> {
    const redis = await runRedis();
    try {
      const pairs = requests(PAIRS);
      const base = await datasets.of(1000);
      const sides = [];
      for (const [name, settings] of [
        ['without', NO_LIMITS],
        ['with', { ...NO_LIMITS, REDIS_URL: redis.url }],
      ] as const) {
        const own = await datasets.copy(base, `scale-added-${name}`);
        const cluster = await startCluster(datasets, own, { settings: { PIPELINE__OFF: '', ...settings } });
        sides.push({ ...(await targetOf(cluster)), took: [] as number[] });
      }
      progress(`${pairs} calls with and without Redis, in turns`);
      for (let at = -200; at < pairs; at += 1)
        for (const { urls, headers, took } of at % 2 ? sides : sides.toReversed()) {
          const began = performance.now();
          await (await fetch(urls[0]!, { headers })).arrayBuffer();
          if (at >= 0) took.push(performance.now() - began);
        }
      const [without, withRedis] = sides.map(({ took }) => took.sort((one, other) => one - other));
      const added = (share: number) => {
        const at = Math.floor(pairs * share);
        return {
          value: withRedis![at]! - without![at]!,
          detail: `${withRedis![at]!.toFixed(2)} and ${without![at]!.toFixed(2)} ms`,
        };
      };
      return [
        { name: 'added to a call, p50', ...added(0.5), unit: 'ms', target: { atMost: 0.6 } },
        { name: 'added to a call, p99', ...added(0.99), unit: 'ms', target: { atMost: 4 } },
      ];
    } finally {
      await redis.end();
    }
  },
  compare: LEFT_OUT,
};

/** Redis is killed, or stalls, while a key calls all the time. */
export const redisAway: Measure = {
  name: 'redis-away',
  about: `Redis killed and stalled: time of the first calls and of later ones; calls of a greedy key over ${GATEWAYS} gateways meanwhile and afterwards`,
  async run({ datasets, progress }: Bench): Promise<readonly Figure[]> {
    const redis = await runRedis();
    try {
      const base = await datasets.of(1000);
      const dataset = await datasets.copy(base, 'scale-away');
      const greedy = await startCluster(datasets, dataset, {
        gateways: GATEWAYS,
        settings: {
          PIPELINE__OFF: '',
          REDIS_URL: redis.url,
          // Both faults within a minute.
          PLUGINS__RATE_LIMIT__LIMITS__MINUTE: '4000',
        },
      });
      const single = await startCluster(datasets, await datasets.copy(base, 'scale-away-single'), {
        settings: { PIPELINE__OFF: '', ...NO_LIMITS, REDIS_URL: redis.url, REDIS__PREFIX: 'single' },
      });
      const target = await targetOf(greedy);
      const { urls, headers } = await targetOf(single);
      const timed = async (count: number) => {
        const took: number[] = [];
        for (let at = 0; at < count; at += 1) {
          const began = performance.now();
          await (await fetch(urls[0]!, { headers })).arrayBuffer();
          took.push(performance.now() - began);
        }
        return took;
      };
      const figures: Figure[] = [];
      for (const [fault, fail, mend] of [
        ['killed', () => redis.kill(), () => redis.restart()],
        ['stalled', async () => redis.stall(), async () => redis.continue()],
      ] as const) {
        progress(`Redis ${fault}`);
        const before = median(await timed(300));
        await fail();
        const first = await timed(10);
        const later = await timed(300);
        const awayEnds = performance.now() + AWAY_SECONDS * 1000;
        const away = await callAllTheTime(target, () => performance.now() < awayEnds);
        await mend();
        const back = performance.now();
        const after = await callAllTheTime(target, () => performance.now() - back < AWAY_SECONDS * 1000);
        const exact = after.times.filter((time) => time - back > 2000);
        figures.push(
          {
            name: `${fault}: first ten calls, slower by`,
            value: Math.max(...first) - before,
            unit: 'ms',
            target: { atMost: 40 },
          },
          {
            name: `${fault}: later calls, p50 ÷ before`,
            value: median(later) / before,
            unit: '×',
            target: { atMost: 1.05 },
            detail: `${median(later).toFixed(2)} and ${before.toFixed(2)} ms`,
          },
          {
            name: `${fault}: most calls in a second ÷ limit`,
            // The times are those of answers, so a second of them has calls of a little more.
            value: mostIn(away.times, 950) / 10,
            unit: '×',
            target: { atMost: GATEWAYS },
          },
          {
            name: `${fault}: most in a second from 2 s after its return`,
            value: mostIn(exact, 950),
            unit: '×',
            target: { atMost: 10 },
            detail: `${exact.length} calls in ${AWAY_SECONDS - 2} s`,
          },
        );
      }
      return figures;
    } finally {
      redis.continue();
      await redis.end();
    }
  },
  compare: LEFT_OUT,
};

async function targetOf(cluster: Cluster): Promise<Target> {
  const { base, headers } = await cluster.managed();
  return { urls: cluster.gateways.map(({ port }) => `http://127.0.0.1:${port}${base}/languages`), headers };
}

/** Two clients at each gateway, which ignore `Retry-After`. */
async function callAllTheTime({ urls, headers }: Target, goesOn: () => boolean) {
  const times: number[] = [];
  let rejected = 0;
  const client = async (url: string) => {
    while (goesOn()) {
      const answer = await fetch(url, { headers });
      await answer.arrayBuffer();
      if (answer.status === 200) times.push(performance.now());
      else if (answer.status === 429) rejected += 1;
      else throw new Error(`${url} answered ${answer.status}.`);
      await pause(4);
    }
  };
  await Promise.all([...urls, ...urls].map(client));
  return { times, admitted: times.length, rejected };
}

/** Times in Redis of the calls that it admits, from what it reports to run. */
async function recordAdmissions({ url }: RunningRedis) {
  const client = await createClient({ url }).connect();
  const times: number[] = [];
  await client.monitor((line) => {
    const [, microseconds] = /"RPUSH" "[^"]*:second" "(\d+)"/.exec(String(line)) ?? [];
    if (microseconds !== undefined) times.push(Number(microseconds) / 1000);
  });
  return {
    async end() {
      await pause(200);
      client.destroy();
      return times;
    },
  };
}

/** Calls of the last hour that Redis has charged. */
async function chargedOf({ url }: RunningRedis): Promise<number> {
  const client = await createClient({ url }).connect();
  const [key = ''] = (await client.keys('headwater:limit:{key:*}')).filter(
    (name) => !name.endsWith(':second'),
  );
  const fields = Object.entries(await client.hGetAll(key));
  client.destroy();
  return fields.reduce((sum, [name, count]) => sum + (name.startsWith('h') ? Number(count) : 0), 0);
}

/** What a limiter in one process admits in the same time, to a client that calls each millisecond. */
function allowedFrom(first: number): number {
  let now = first;
  const limiter = new LocalLimiter({ monotonic: () => now }, 1);
  let admitted = 0;
  for (; now < first + SECONDS * 1000; now += 1)
    if (limiter.take('key', { second: 10, minute: 400, hour: 15_000 }).admitted) admitted += 1;
  return admitted;
}

/** The most of the times in any stretch of so many milliseconds. */
function mostIn(times: readonly number[], milliseconds: number): number {
  let most = 0;
  let first = 0;
  for (const [at, time] of times.entries()) {
    while (time - times[first]! >= milliseconds) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;
}
