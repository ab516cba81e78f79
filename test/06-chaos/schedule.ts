import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SmallFolder } from '../support/programs/small-folder.ts';
import { Random } from '../support/random/random.ts';
import { until } from '../support/until.ts';
import type { DeliveryRecord } from '../support/webhooks/delivery-record.ts';
import { remains } from './checks/at-rest.ts';
import type { Evidence } from './checks/evidence.ts';
import { finalChecks } from './checks/final-checks.ts';
import { callGreedily } from './clients/greedy-key.ts';
import { useImages } from './clients/images.ts';
import { importAgain } from './clients/imports.ts';
import { readItem } from './clients/read-items.ts';
import { replaceKeys } from './clients/replaced-keys.ts';
import { Requests } from './clients/requests.ts';
import { type WrittenItem, writeItem } from './clients/writers.ts';
import { ChaosCluster } from './cluster/chaos-cluster.ts';
import type { Engines } from './cluster/engines.ts';
import { openInstallation } from './cluster/installation.ts';
import { type Prepared, prepare } from './cluster/prepare.ts';
import type { Disturbable } from './faults/fault.ts';
import { FaultTimes } from './faults/fault-times.ts';
import { planRounds } from './faults/plan.ts';

const GATEWAYS = 2;
const CORES = 2;
const HEALTHY_MS = 15_000;
/** Bound for "never": a publish is four requests, each with its own deadline. */
const RESUMED_MS = 60_000;
const PAUSE_MS = 300;
const CALLS_A_SECOND = 10;
const CALLS_A_MINUTE = 400;

export interface Schedule {
  readonly seed: number;
  readonly folder: string;
  readonly disk: SmallFolder;
  readonly engines: Engines;
  /** SQLite unless given. */
  readonly database: string | undefined;
  readonly bucket: string;
  readonly deliveries: DeliveryRecord;
  /** Of a project that is imported meanwhile. */
  readonly archive: Buffer;
  /** How often something is disturbed. */
  readonly rounds: number;
  /** Longest time that anything is disturbed, in milliseconds. */
  readonly longest: number;
  /** Called when a stage has ended, so that one that hangs is known. */
  readonly stageEnded: (name: string) => void;
}

/** Disturbs a cluster while clients use it. @returns what did not hold, and what was seen */
export async function runSchedule(
  schedule: Schedule,
): Promise<{ readonly failures: string[]; readonly seen: string[] }> {
  const { seed, folder, disk, engines, database, bucket, deliveries, stageEnded } = schedule;
  const dataDir = join(folder, 'own');
  const open = () => openInstallation(dataDir, database && engines.primary.url(database));
  const prepared = await prepare(await open(), deliveries.url);
  if (database === undefined) await disk.copyFrom(dataDir);
  const key = prepared.greedy.keyId;
  const cluster = await ChaosCluster.start({
    folder,
    gateways: GATEWAYS,
    cores: database === undefined ? 1 : CORES,
    // Of this attempt, as the bucket is: Redis holds for a minute what an installation had.
    shared: { HEADWATER_REDIS__PREFIX: bucket, HEADWATER_FEED: seed % 2 === 0 ? 'core' : 'redis' },
    environment: {
      HEADWATER_PLUGINS__RATE_LIMIT__LIMITS: '{second: null, minute: null, hour: null}',
      HEADWATER_PLUGINS__RATE_LIMIT__KEYS: `{${key}: {second: ${CALLS_A_SECOND}, minute: ${CALLS_A_MINUTE}}}`,
    },
    whole: { engines, database, bucket, disk },
  });
  stageEnded('started');
  const requests = new Requests(cluster, new Random(seed + 1));
  const faults = new FaultTimes();
  const failures: string[] = [];
  let evidence: Evidence | undefined;
  try {
    const clients = startClients(schedule, prepared, requests);
    try {
      await disturb({ cluster, engines, database, disk, longest: schedule.longest }, schedule, faults);
      // A healthy cluster takes writes again, by every writer.
      await allPublish(prepared, requests, cluster);
      stageEnded('every item published');
    } finally {
      clients.end();
    }
    evidence = {
      ...prepared,
      ...(await clients.records),
      sent: requests.sent,
      deliveries,
      faults,
      linesWith: (text) => cluster.parts.flatMap((part) => part.linesWith(text)),
      limited: { path: prepared.greedy.path, second: CALLS_A_SECOND, gateways: GATEWAYS },
    };
    stageEnded('clients ended');
    await allDelivered(requests, prepared);
    stageEnded('everything delivered');
    if (database !== undefined) await atRest(engines, database, cluster.cores.length);
  } catch (error) {
    failures.push((error as Error).message);
  } finally {
    failures.push(...cluster.parts.flatMap(({ failure }) => failure ?? []));
    await cluster.stop();
    await requests.close();
    stageEnded('stopped');
  }
  if (evidence) {
    if (database === undefined) await disk.copyTo(dataDir);
    const core = await open();
    failures.push(...(await finalChecks(core, evidence, engines, bucket).finally(() => core.close())));
    stageEnded('checked');
  }
  const logged = failures.length > 0 ? cluster.parts.flatMap((part) => part.logged) : [];
  return { failures, seen: [...report(faults, requests, prepared), ...logged] };
}

function startClients(
  { seed, archive }: Schedule,
  { items, keys, images, replaced, greedy }: Prepared,
  requests: Requests,
) {
  let isOver = false;
  const over = () => isOver;
  const random = new Random(seed + 2);
  const own = () => new Random(random.int(0, 2 ** 30));
  const records = (async () => {
    const [reads, imports, shown, uses] = await Promise.all([
      Promise.all(items.map((item) => readItem(item, requests, own(), over))),
      importAgain(archive, requests, own(), over),
      useImages(images, requests, own(), over),
      replaceKeys(replaced, requests, own(), over),
      callGreedily(greedy, requests, over),
      ...items.map((item) => writeItem(item, keys.get(item.project)!, requests, over)),
    ]);
    return { reads: reads.flat(), imports, images: shown, keys: uses };
  })();
  // Awaited in the end.
  records.catch(() => {});
  return {
    records,
    end() {
      isOver = true;
    },
  };
}

/** Several faults at a time, then none until all parts are healthy. */
async function disturb(
  what: Disturbable,
  { seed, rounds, stageEnded }: Schedule,
  times: FaultTimes,
): Promise<void> {
  for (const planned of planRounds(seed, rounds, what.database !== undefined)) {
    await setTimeout(PAUSE_MS);
    await times.during(
      planned.map(({ name, delay, fault, random }) => ({ name, delay, run: () => fault(what, random) })),
      () =>
        what.cluster.healthy(HEALTHY_MS).catch((error: Error) => {
          throw new Error(`After ${planned.map(({ name }) => `'${name}'`).join(', ')}: ${error.message}`);
        }),
    );
    stageEnded(`disturbed by ${planned.map(({ name }) => name).join(', ')}`);
  }
}

async function allPublish(
  { items }: Prepared,
  { sent, waiting }: Requests,
  cluster: ChaosCluster,
): Promise<void> {
  const [before, asked] = [items.map(({ publishes }) => publishes.length), sent.length];
  const silent = () => items.filter(({ publishes }, index) => publishes.length === before[index]);
  const [busy, ends] = [cluster.busy(), performance.now() + RESUMED_MS];
  await until(() => silent().length === 0 || performance.now() > ends + busy(), Infinity);
  if (silent().length > 0) {
    const [{ externalId }] = silent() as [WrittenItem];
    const calls = sent
      .slice(asked)
      .filter(({ url }) => url.includes(externalId))
      .map(
        ({ method, url, began, ended, answer, via }) =>
          `${method} ${url.slice(url.indexOf(externalId))} through ${via}: ${answer?.status} after ${(ended - began).toFixed(0)} ms`,
      );
    const open = [...waiting].filter((what) => what.includes(externalId));
    throw new Error(
      `${externalId} was not published after the last fault:\n${[...calls, ...open].join('\n')}`,
    );
  }
}

async function allDelivered(requests: Requests, { projects }: Prepared): Promise<void> {
  for (const { id, webhooks } of projects)
    for (const webhook of webhooks)
      await until(async () => (await requests.queued(id, webhook.id)) === 0, RESUMED_MS);
}

async function atRest({ primary }: Engines, database: string, cores: number): Promise<void> {
  let found: readonly string[] = [];
  await until(async () => {
    found = await remains(primary, database, cores);
    return found.length === 0;
  }).catch((error: Error) => {
    throw new Error(`At rest: ${found.join('; ')}`, { cause: error });
  });
}

function report(faults: FaultTimes, requests: Requests, { items }: Prepared): string[] {
  const published = items.reduce((sum, { publishes }) => sum + publishes.length, 0);
  return [
    ...faults.all.map(
      ({ name, from, ended, recovery }) =>
        `${name}: ${(ended - from).toFixed(0)} ms, all healthy ${recovery.toFixed(0)} ms later`,
    ),
    `${published} published, ${JSON.stringify(requests.counts)}`,
    `longest: ${longest(requests)}`,
  ];
}

/** The request that took the largest part of its time. */
function longest({ sent }: Requests): string {
  const parts = sent.map(({ began, ended, deadline }) => (ended - began) / deadline);
  const { method, url, via, answer, began, ended, deadline } = sent[parts.indexOf(Math.max(...parts))]!;
  const time = `${(ended - began).toFixed(0)} ms of ${deadline}`;
  return `${method} ${new URL(url).pathname} through ${via}: ${answer?.status ?? 'lost'} after ${time}`;
}
