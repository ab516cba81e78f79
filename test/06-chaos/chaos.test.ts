/**
 * `npm run test:chaos` runs 50 schedules of faults instead of 3. A failure prints its seed; `HEADWATER_TEST_SEED=17 npm run
 * test:chaos` runs that schedule alone. The faults are the same then; the moments at which they meet the requests differ.
 */
import '../support/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { Random } from '../support/random/random.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { until } from '../support/until.ts';
import { type DeliveryRecord, startDeliveryRecord } from '../support/webhooks/delivery-record.ts';
import { remains } from './at-rest.ts';
import { ChaosCluster, type Database } from './chaos-cluster.ts';
import { FaultTimes } from './fault-times.ts';
import { DATABASE_FAULTS, FAULTS } from './faults.ts';
import { checkFinalState, type Written } from './final-state.ts';
import { type Import, importAgain, makeArchive } from './imports.ts';
import { openInstallation, prepareProject, prepareWebhook } from './installation.ts';
import { Requests } from './requests.ts';
import { type WrittenItem, write } from './writers.ts';

const LONG = process.env['HEADWATER_TEST_LONG'] !== undefined;
const SCHEDULES = LONG ? 50 : 3;
const GATEWAYS = 2;
const CORES = 2;
const PROJECTS = 2;
const ITEMS_OF_PROJECT = 2;
const WEBHOOKS_OF_PROJECT = 2;
const FAULTS_A_SCHEDULE = LONG ? 4 : 3;
const HEALTHY_MS = 15_000;
/** Until another core has taken over the work of one that lost its session. */
const TAKEOVER_MS = 5000;
const PAUSE_MS = 300;
/** Most that a report lists. */
const FINDINGS = 5;

describe('gateways, cores and their database under faults', function () {
  this.timeout(120_000);
  let server: PostgresServer;
  let archive: Buffer;

  before(async () => {
    server = await startPostgres();
    const folder = await mkdtemp(join(tmpdir(), 'headwater-chaos-'));
    const core = await openInstallation(folder);
    archive = await makeArchive(core);
    await core.close();
    await rm(folder, { recursive: true });
  });
  after(() => server.end());

  for (const seed of testSeeds(SCHEDULES)) {
    // One of four: a core with SQLite.
    const isEmbedded = seed % 4 === 0;
    const of = isEmbedded ? 'a core with SQLite' : `${CORES} cores with PostgreSQL`;
    it(`${of}: keep what they acknowledged, in one order, and recover (HEADWATER_TEST_SEED=${seed})`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-chaos-'));
      const record = await startDeliveryRecord(() => 0);
      record.isWell = true;
      try {
        const database = isEmbedded ? undefined : { server, name: await server.create() };
        await runSchedule({ seed, folder, record, database, archive });
        if (database) await server.drop(database.name);
      } finally {
        await record.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});

interface Schedule {
  readonly seed: number;
  readonly folder: string;
  readonly record: DeliveryRecord;
  readonly database: Database | undefined;
  readonly archive: Buffer;
}

async function runSchedule({ seed, folder, record, database, archive }: Schedule): Promise<void> {
  const random = new Random(seed);
  const url = database?.server.url(database.name);
  const { keys, items, projects } = await prepare(folder, record.url, url);
  const cluster = await ChaosCluster.start(folder, {
    gateways: GATEWAYS,
    cores: database ? CORES : 1,
    database,
  });
  const requests = new Requests(cluster, new Random(seed + 1));
  const faults = new FaultTimes();
  let imports: readonly Import[] = [];
  let isOver = false;
  try {
    const running = items.flatMap((item) => [
      write(item, requests.manage(item.project, keys.get(item.project)!), () => isOver),
      requests.read(item, () => isOver),
    ]);
    const importing = importAgain(archive, requests.importArchive, new Random(seed + 2), () => isOver);
    const possible = { ...FAULTS, ...(database && DATABASE_FAULTS) };
    const chosen = random.shuffled(Object.entries(possible)).slice(0, FAULTS_A_SCHEDULE);
    for (const [name, fault] of chosen) {
      await setTimeout(PAUSE_MS);
      await faults.during(
        name,
        () => fault(cluster, random),
        () =>
          cluster.healthy(HEALTHY_MS).catch((error: Error) => {
            throw new Error(`After '${name}': ${error.message}`);
          }),
      );
    }
    // A healthy cluster takes writes again, by every writer.
    const before = items.map(({ publishes }) => publishes.length);
    await until(() => items.every(({ publishes }, index) => publishes.length > before[index]!));
    isOver = true;
    await Promise.all(running);
    imports = await importing;
    await allDelivered(requests, projects);
    if (database) await atRest(database, cluster.cores.length);
  } finally {
    isOver = true;
    await cluster.stop();
    if (LONG) report(faults, requests, items);
  }
  const ended = cluster.parts.flatMap(({ failure }) => failure ?? []);
  expect([...requests.findings, ...ended]).to.deep.equal([]);
  const core = await openInstallation(folder, url);
  try {
    await checkFinalState(
      core,
      { projects, items, imports },
      requests.reads,
      record,
      faults,
      database ? TAKEOVER_MS : 0,
    );
  } finally {
    await core.close();
  }
}

async function allDelivered(requests: Requests, projects: Written['projects']): Promise<void> {
  for (const { id, webhooks } of projects)
    for (const webhook of webhooks) await until(async () => (await requests.waiting(id, webhook.id)) === 0);
}

async function atRest(database: Database, cores: number): Promise<void> {
  let found: readonly string[] = [];
  await until(async () => {
    found = await remains(database, cores);
    return found.length === 0;
  }).catch((error: Error) => {
    throw new Error(`At rest: ${found.join('; ')}`, { cause: error });
  });
}

async function prepare(folder: string, url: string, databaseUrl: string | undefined) {
  const core = await openInstallation(folder, databaseUrl);
  try {
    const projects: Written['projects'][number][] = [];
    const items: WrittenItem[] = [];
    const keys = new Map<string, string>();
    for (let number = 0; number < PROJECTS; number += 1) {
      const { id, key } = await prepareProject(core, `Chaos${number}`);
      const paths = Array.from({ length: WEBHOOKS_OF_PROJECT }, (_, index) => `/${number}-${index}`);
      const webhooks: { id: string; path: string }[] = [];
      for (const path of paths) webhooks.push({ id: await prepareWebhook(core, id, url + path), path });
      projects.push({ id, webhooks });
      keys.set(id, key);
      for (let index = 0; index < ITEMS_OF_PROJECT; index += 1) {
        const externalId = `item-${number}-${index}`;
        const codename = `item_${number}_${index}`;
        items.push({ project: id, externalId, codename, id: '', publishes: [] });
      }
    }
    return { projects, items, keys };
  } finally {
    await core.close();
  }
}

function report(
  faults: FaultTimes,
  { counts, reads, findings }: Requests,
  items: readonly WrittenItem[],
): void {
  for (const finding of findings.slice(0, FINDINGS)) console.log(`      ${finding}`);
  for (const { name, from, ended, until } of faults.all)
    console.log(
      `      ${name}: ${(ended - from).toFixed(0)} ms, healthy ${(until - ended).toFixed(0)} ms later`,
    );
  const published = items.reduce((sum, { publishes }) => sum + publishes.length, 0);
  console.log(`      ${published} published, ${reads.length} reads, ${JSON.stringify(counts)}`);
}
