/**
 * `npm run test:chaos` runs 50 schedules of faults instead of 3. A failure prints its seed; `HEADWATER_TEST_SEED=17 npm run
 * test:chaos` runs that schedule alone. The faults are the same then; the moments at which they meet the requests differ.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { createManagementKey, createProject } from '../../core/access/projects.ts';
import { createUser } from '../../core/access/users.ts';
import { createCore, type RunningCore } from '../../core/compose/create-core.ts';
import { createType } from '../../core/content/types.ts';
import { messageId } from '../../core/webhooks/message.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { dumpReadSide, recompileAll } from '../support/killed/read-side-dump.ts';
import { Random } from '../support/random/random.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { checkOrder, type DeliveryRecord, startDeliveryRecord } from '../support/webhooks/delivery-record.ts';
import { ChaosCluster } from './chaos-cluster.ts';
import { FAULTS } from './faults.ts';
import { type ManageCall, type WrittenItem, write } from './writers.ts';

const SCHEDULES = process.env['HEADWATER_TEST_LONG'] ? 50 : 3;
const GATEWAYS = 2;
const WRITERS = 4;
const FAULTS_A_SCHEDULE = 4;
/** Longest time of a request, the time that the part in front of it is stalled included. */
const DEADLINE_MS = 20_000;
const HEALTHY_MS = 15_000;
const DELIVERED_MS = 20_000;
const PAUSE_MS = 300;

describe(`a core and ${GATEWAYS} gateways under faults`, function () {
  this.timeout(120_000);
  for (const seed of testSeeds(SCHEDULES)) {
    it(`keep what they acknowledged, in one order, and recover (HEADWATER_TEST_SEED=${seed})`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-chaos-'));
      const record = await startDeliveryRecord(() => 0);
      record.isWell = true;
      try {
        await runSchedule(new Random(seed), folder, record);
      } finally {
        await record.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});

async function runSchedule(random: Random, folder: string, record: DeliveryRecord): Promise<void> {
  const dataDir = join(folder, 'core');
  const { project, key, webhook } = await prepare(dataDir, record.url);
  const cluster = await ChaosCluster.start(folder, GATEWAYS);
  const items = Array.from({ length: WRITERS }, (_, index): WrittenItem => {
    const externalId = `item-${index}`;
    return { externalId, codename: `item_${index}`, id: '', acknowledged: -1, sequences: [], sent: -1 };
  });
  const findings: string[] = [];
  let isOver = false;
  try {
    const call = manageCall(cluster, project, key, random, findings);
    const running = items.flatMap((item) => [
      write(item, call, () => isOver),
      read(cluster, project, item, random, () => isOver, findings),
    ]);
    for (const name of random.shuffled(Object.keys(FAULTS)).slice(0, FAULTS_A_SCHEDULE)) {
      await setTimeout(PAUSE_MS);
      record.round += 1;
      await FAULTS[name]!(cluster, random);
      record.round += 1;
      await cluster.healthy(HEALTHY_MS).catch((error: Error) => {
        throw new Error(`After '${name}': ${error.message}`);
      });
    }
    // A healthy cluster takes writes again, by every writer.
    const before = items.map(({ sequences }) => sequences.length);
    const ends = performance.now() + HEALTHY_MS;
    const isWritten = () => items.every(({ sequences }, index) => sequences.length > before[index]!);
    while (!isWritten() && performance.now() < ends) await setTimeout(PAUSE_MS);
    expect(isWritten(), 'every writer has published after the last fault').to.equal(true);
    isOver = true;
    await Promise.all(running);
    await allDelivered(record, items);
  } finally {
    isOver = true;
    await cluster.stop();
  }
  expect(findings).to.deep.equal([]);
  await check(dataDir, project, webhook, items, record);
}

/** What the disk holds afterwards, against what was acknowledged and what was delivered. */
async function check(
  dataDir: string,
  project: string,
  webhook: string,
  items: readonly WrittenItem[],
  record: DeliveryRecord,
): Promise<void> {
  const core = await open(dataDir);
  try {
    const { sql } = core.operations.storage;
    const log = await sql.all<{ sequence: number; object: string; operation: string }>(
      'SELECT sequence, object, operation FROM change ORDER BY sequence',
    );
    const sequences = [...new Set(log.map(({ sequence }) => sequence))];
    const [first = 0] = sequences;
    expect(sequences).to.deep.equal(
      sequences.map((_, index) => first + index),
      'the change log has no gap',
    );
    for (const item of items) {
      const publishes = new Set(
        log
          .filter(({ object, operation }) => object.startsWith(`${item.id}/`) && operation === 'publish')
          .map(({ sequence }) => sequence),
      );
      for (const sequence of item.sequences)
        expect(publishes, `${item.externalId} at ${sequence}`).to.include(sequence);
      expect(await published(core, project, item), item.externalId).to.be.within(
        item.acknowledged,
        item.sent,
      );
      const { count } = (await sql.get<{ count: number }>(
        `SELECT count(*) AS count FROM webhook_event WHERE items LIKE '%"' || ? || '"%'`,
        [item.codename],
      ))!;
      expect(count, `events of ${item.externalId}`).to.equal(publishes.size);
    }
    const events = await sql.all<{ id: string }>('SELECT id FROM webhook_event ORDER BY number');
    checkOrder(
      record.entries,
      events.map(({ id }) => messageId(id, webhook, 0)),
    );
    const kept = await dumpReadSide(sql);
    await recompileAll(core, project);
    expect(kept).to.deep.equal(await dumpReadSide(sql));
  } finally {
    await core.close();
  }
}

async function published(core: RunningCore, project: string, { codename }: WrittenItem): Promise<number> {
  const answer = await core.handle({
    surface: 'delivery',
    method: 'GET',
    path: `/${project}/items/${codename}`,
    query: '',
    headers: {},
    bases: { self: 'http://localhost', assets: 'http://localhost' },
    principal: { kind: 'anonymous' },
    requestId: 'chaos',
  });
  const body = JSON.parse(Buffer.concat(answer.body as Uint8Array[]).toString()) as Shown;
  return Number(body.item.elements.title.value);
}

interface Shown {
  readonly item: { readonly elements: { readonly title: { readonly value: string } } };
}

/** Reads an item with the wait header: an answer that is not flagged shows what was acknowledged before. */
async function read(
  cluster: ChaosCluster,
  project: string,
  item: WrittenItem,
  random: Random,
  isOver: () => boolean,
  findings: string[],
): Promise<void> {
  while (!isOver()) {
    const { acknowledged } = item;
    const { port, name } = random.pick(cluster.gateways);
    const began = performance.now();
    const url = `http://127.0.0.1:${port}/delivery/${project}/items/${item.codename}`;
    const answer = await fetch(url, {
      headers: { 'x-svc-wait-for-loading-new-content': 'true' },
      signal: AbortSignal.timeout(DEADLINE_MS),
    }).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    const took = performance.now() - began;
    if (took >= DEADLINE_MS) findings.push(`A read by ${name} took ${took.toFixed(0)} ms.`);
    if (answer?.status === 200 && text !== undefined && answer.headers.get('x-stale-content') !== '1') {
      const shown = Number((JSON.parse(text) as Shown).item.elements.title.value);
      if (shown < acknowledged)
        findings.push(`${name} shows ${shown} of ${item.externalId} after ${acknowledged}.`);
    }
    if (answer !== undefined && ![200, 404, 503].includes(answer.status)) {
      findings.push(`A read by ${name} was answered with ${answer.status}: ${text}`);
    }
    await setTimeout(20);
  }
}

function manageCall(
  cluster: ChaosCluster,
  project: string,
  key: string,
  random: Random,
  findings: string[],
): ManageCall {
  return async (method, path, body) => {
    const { port, name } = random.pick(cluster.gateways);
    const began = performance.now();
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/manage/v2/projects/${project}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      const text = await answer.text();
      if (answer.status >= 500 && answer.status !== 503)
        findings.push(`${method} ${path}: ${answer.status} ${text}`);
      return {
        status: answer.status,
        sequence: Number(answer.headers.get('x-svc-content-sequence')),
        body: text === '' ? {} : JSON.parse(text),
      };
    } finally {
      const took = performance.now() - began;
      if (took >= DEADLINE_MS) findings.push(`${method} by ${name} took ${took.toFixed(0)} ms.`);
    }
  };
}

/** Waits until the receiver got as many notifications as publishes were acknowledged, and no more come. */
async function allDelivered(record: DeliveryRecord, items: readonly WrittenItem[]): Promise<void> {
  const expected = items.reduce((sum, { sequences }) => sum + sequences.length, 0);
  const ends = performance.now() + DELIVERED_MS;
  for (let before = -1; performance.now() < ends; ) {
    const taken = new Set(record.entries.map(({ id }) => id)).size;
    if (taken >= expected && taken === before) return;
    before = taken;
    await setTimeout(500);
  }
  throw new Error(`Of ${expected} notifications or more, ${record.entries.length} arrived.`);
}

async function prepare(dataDir: string, url: string) {
  await mkdir(dataDir, { mode: 0o700 });
  const core = await open(dataDir);
  try {
    const { operations } = core;
    const project = await operations.installation(null, (to) => createProject(to, { name: 'Chaos' }));
    const made = await operations.inProject(project.id, null, async (transaction) => {
      await createType(transaction, { name: 'Piece', elements: [{ type: 'text', name: 'Title' }] });
      return addWebhook(transaction, { name: 'All', url, contentChanges: [], workflowSteps: [] });
    });
    const { key } = await operations.installation(null, async (to) => {
      const user = await createUser(to, {
        name: 'Chaos',
        email: 'chaos@example.com',
        projects: [{ id: project.id, capabilities: ['manage-apis'] }],
      });
      return createManagementKey(to, project.id, user.id);
    });
    return { project: project.id, key, webhook: made.id };
  } finally {
    await core.close();
  }
}

function open(dataDir: string): Promise<RunningCore> {
  const log = { info() {}, warn() {}, error: (fields: object, text: string) => console.error(text, fields) };
  return createCore({
    dataDir,
    vendor: { header: ['SVC'], mediaType: 'service' },
    log,
    // Whatever is still queued stays there.
    webhooks: { allow: ['192.0.2.0/24'] },
  });
}
