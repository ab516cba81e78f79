/**
 * `npm run test:faults` runs 1,000 schedules instead of two, in some ten minutes. A failure prints its seed; with
 * `HEADWATER_TEST_SEED=17 npm run test:faults` the random numbers are the same again, and only the moments of the kills differ a little.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { createType } from '../../core/content/types.ts';
import { messageId } from '../../core/webhooks/message.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { isLongForm } from '../support/long-form.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';
import { checkQueued } from '../support/webhooks/check-queued.ts';
import { checkOrder, type DeliveryRecord, startDeliveryRecord } from '../support/webhooks/delivery-record.ts';

const SCHEDULES = isLongForm ? 1000 : 2;
/** So many kills to one data folder; then all pending notifications are delivered and compared with the log. */
const FOLDER = 25;
const QUEUES = 3;
/** Until the kill, ms; most are much sooner. A core connects to PostgreSQL before its first write. */
const LONGEST_RUN = isLongForm || process.env['HEADWATER_TEST_DATABASE'] === 'postgres' ? 1000 : 300;
/** In three of four schedules the time until the kill begins with so many publishes: a busy machine begins late. */
const PUBLISHED_BEFORE = 3;
const CHILD = join(import.meta.dirname, '../support/killed/webhook-publisher.mjs');

describe(`webhooks under ${SCHEDULES} schedules of faults`, function () {
  this.timeout(120_000 + SCHEDULES * 20_000);
  const seed = testSeed();

  it(`lose nothing, keep the order, and repeat only deliveries that a kill interrupted (seed ${seed})`, async () => {
    let done = 0;
    let published = 0;
    let twice = 0;
    const starts = Array.from({ length: Math.ceil(SCHEDULES / FOLDER) }, (_, index) => index * FOLDER);
    const work = async () => {
      for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
        const rounds = Math.min(FOLDER, SCHEDULES - start);
        const found = await oneFolder(seed + start, rounds);
        done += rounds;
        published += found.published;
        twice += found.twice;
        if (isLongForm)
          console.log(`      ${done} schedules, seed ${seed}: ${published} published, ${twice} sent twice`);
      }
    };
    // Half of the time is that of processes that start.
    await Promise.all([work(), work()]);
    expect(published, 'something was published at all').to.be.greaterThan(SCHEDULES);
    // At most the running attempts of each queue at each kill.
    expect(twice).to.be.at.most(SCHEDULES * QUEUES);
  });
});

async function oneFolder(seed: number, rounds: number): Promise<{ published: number; twice: number }> {
  const run = await Run.open(seed);
  try {
    for (let round = 0; round < rounds; round++) {
      await run.untilKilled(round);
      await run.checkQueued();
    }
    return await run.deliverAll();
  } finally {
    await run.close();
  }
}

/** One data folder whose process is killed again and again. */
class Run {
  readonly #folder: string;
  readonly #database: TestDatabase;
  readonly #project: string;
  readonly #webhooks: readonly string[];
  readonly #record: DeliveryRecord;
  readonly #random: () => number;
  readonly #seed: number;

  private constructor(
    folder: string,
    database: TestDatabase,
    project: string,
    webhooks: readonly string[],
    record: DeliveryRecord,
    random: () => number,
    seed: number,
  ) {
    this.#folder = folder;
    this.#database = database;
    this.#project = project;
    this.#webhooks = webhooks;
    this.#record = record;
    this.#random = random;
    this.#seed = seed;
  }

  static async open(seed: number): Promise<Run> {
    const random = dice(seed);
    const record = await startDeliveryRecord(random);
    const folder = await mkdtemp(join(tmpdir(), 'headwater-faults-'));
    const database = await testDatabase();
    const core = await openCore({
      dataDir: folder,
      databaseUrl: database.url,
      log: SILENT,
    });
    const { id } = await core.operations.installation(null, (to) =>
      createProject(to, { name: 'PlannedNotification' }),
    );
    const webhooks = await core.operations.inProject(id, null, async (transaction) => {
      await createType(transaction, { name: 'Piece', elements: [{ type: 'text', name: 'Title' }] });
      const ids: string[] = [];
      for (let queue = 0; queue < QUEUES; queue++) {
        const url = `${record.url}/${queue}`;
        const made = await addWebhook(transaction, {
          name: `${queue}`,
          url,
          contentChanges: [],
          workflowSteps: [],
        });
        ids.push(made.id);
      }
      return ids;
    });
    await core.close();
    return new Run(folder, database, id, webhooks, record, random, seed);
  }

  async untilKilled(round: number): Promise<void> {
    this.#record.round = round;
    const wait = Math.floor(this.#random() ** 2 * LONGEST_RUN);
    let before = round % 4 === 0 ? 0 : PUBLISHED_BEFORE;
    const child = this.#start(round);
    const ended = once(child, 'close');
    for await (const _ of createInterface({ input: child.stdout }))
      if (before-- === 0) void setTimeout(wait).then(() => child.kill('SIGKILL'));
    const [, signal] = await ended;
    expect(signal, `seed ${this.#seed}, round ${round}: it ran until it was killed`).to.equal('SIGKILL');
  }

  async checkQueued(): Promise<void> {
    const storage = await this.#database.open(this.#folder);
    try {
      await checkQueued(storage);
    } catch (error) {
      throw new Error(`seed ${this.#seed}: ${(error as Error).message}`);
    } finally {
      await storage.close();
    }
  }

  async deliverAll(): Promise<{ published: number; twice: number }> {
    this.#record.isWell = true;
    this.#record.round = FOLDER;
    const child = this.#start(FOLDER, 'quiet');
    child.stdout.resume();
    const [code] = await once(child, 'close');
    expect(code).to.equal(0);
    const storage = await this.#database.open(this.#folder);
    const events = await storage.sql.all<{ id: string }>('SELECT id FROM webhook_event ORDER BY number');
    await storage.close();
    let twice = 0;
    for (const [queue, webhook] of this.#webhooks.entries()) {
      const received = this.#record.entries.filter(({ path }) => path === `/${queue}`);
      const expected = events.map(({ id }) => messageId(id, webhook, 0));
      try {
        twice += checkOrder(received, expected);
      } catch (error) {
        throw new Error(`seed ${this.#seed}, queue ${queue}: ${(error as Error).message}`);
      }
    }
    return { published: events.length, twice };
  }

  async close(): Promise<void> {
    await this.#record.close();
    await rm(this.#folder, { recursive: true, force: true });
    await this.#database.remove();
  }

  #start(round: number, ...more: string[]) {
    return spawn(
      process.execPath,
      [CHILD, this.#folder, this.#project, `${round}`, `${this.#seed}`, ...more],
      {
        env: {
          ...process.env,
          ...(this.#database.url && { HEADWATER_DATABASE_URL: this.#database.url }),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
  }
}

/** Mulberry32. */
function dice(state: number): () => number {
  let at = state;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
