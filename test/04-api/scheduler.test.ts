import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem, deleteItem, restoreItem } from '../../core/content/items.ts';
import { createType, updateType } from '../../core/content/types.ts';
import { deleteVariant, upsertVariant } from '../../core/content/variants.ts';
import { findJob } from '../../core/jobs/jobs.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import { planPublish, publishMany } from '../../core/publishing/publish-many.ts';
import { cancelSchedule, cancelScheduledPublish, schedulePublish } from '../../core/publishing/schedule.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { failure } from '../support/failure.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';
import { until } from '../support/until.ts';

const en = { codename: 'default' };
const item = (codename: string) => ({ codename });
const NOON = '2030-06-01T12:00:00Z';

/** Core over a data folder, with a settable clock. */
class Bench {
  readonly folder: string;
  readonly database: TestDatabase;
  project = '';
  core!: RunningCore;
  now = new Date('2030-06-01T09:00:00Z');
  /** Failures are meant. */
  quiet = false;

  constructor(folder: string, database: TestDatabase) {
    this.folder = folder;
    this.database = database;
  }

  static async open(): Promise<Bench> {
    const bench = new Bench(await mkdtemp(join(tmpdir(), 'headwater-scheduler-')), await testDatabase());
    await bench.start();
    const { id } = await bench.core.operations.installation(null, (to) =>
      createProject(to, { name: 'Times' }),
    );
    bench.project = id;
    await bench.run((transaction) =>
      createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Text' }] }),
    );
    return bench;
  }

  async start(): Promise<void> {
    const log = { ...SILENT, error: (fields: object) => this.quiet || console.error(fields) };
    this.core = await openCore({
      dataDir: this.folder,
      databaseUrl: this.database.url,
      log,
      now: () => this.now,
    });
  }

  run<T>(work: (transaction: ProjectTransaction) => Promise<T>, actor: string | null = null): Promise<T> {
    return this.core.operations.inProject(this.project, actor, work);
  }

  /** Notes with a draft each. */
  async notes(...names: string[]): Promise<void> {
    await this.run(async (transaction) => {
      for (const name of names) {
        await createItem(transaction, { name, type: { codename: 'note' } });
        await this.write(transaction, name, 'first');
      }
    });
  }

  async write(transaction: ProjectTransaction, name: string, text: string): Promise<void> {
    await upsertVariant(transaction, item(name), en, {
      elements: [{ element: { codename: 'text' }, value: text }],
    });
  }

  /** Text that readers get; undefined when there is none. */
  async text(name: string): Promise<string | undefined> {
    const answer = await this.core
      .handle({
        surface: 'delivery',
        method: 'GET',
        path: `/${this.project}/items/${name}`,
        query: '',
        headers: {},
        bases: { self: 'http://x', assets: 'http://a' },
        principal: { kind: 'anonymous' },
        requestId: 'r',
      })
      .catch((error) => {
        if (error.status === 404) return undefined;
        throw error;
      });
    if (!answer) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body ?? []) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString()).item.elements.text.value;
  }

  /** Sets the clock and gives the scheduler the time to notice by itself. */
  async at(time: string, name: string, wanted: string | undefined): Promise<void> {
    this.now = new Date(time);
    await until(async () => (await this.text(name)) === wanted);
  }

  jobOf(name: string): Promise<string> {
    return this.core.operations.storage.sql
      .get<{ schedule: string }>(
        'SELECT v.schedule AS schedule FROM variant v JOIN item i ON i.number = v.item WHERE i.codename = ?',
        [name],
      )
      .then((row) => row?.schedule ?? '');
  }

  async close(): Promise<void> {
    await this.core.close();
    await rm(this.folder, { recursive: true });
    await this.database.remove();
  }
}

describe('scheduled publishing', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
  });
  afterEach(() => bench.close());

  it('publishes at the time and not before, the draft as of that time', async () => {
    await bench.notes('clock');
    await bench.run(
      (transaction) => schedulePublish(transaction, item('clock'), en, '2030-06-01T14:00:00+02:00'),
      'anna',
    );
    await bench.run((transaction) => bench.write(transaction, 'clock', 'second'));
    const job = await bench.jobOf('clock');
    const { sql } = bench.core.operations.storage;
    expect(await findJob(sql, job)).to.include({
      state: 'waiting',
      due: '2030-06-01T12:00:00.0000000Z',
      actor: 'anna',
    });
    bench.now = new Date('2030-06-01T11:59:59Z');
    await pause(1200);
    expect(await bench.text('clock')).to.equal(undefined);
    await bench.at(NOON, 'clock', 'second');
    expect(await findJob(sql, job)).to.include({ state: 'done', done: 1, due: null });
    const change = await sql.get(`SELECT actor FROM change WHERE operation = 'publish'`);
    expect(change).to.deep.equal({ actor: 'anna' });
  });

  it('ends as a failed job with the reason when the draft violates rules of its type by then', async () => {
    bench.quiet = true;
    await bench.notes('fine', 'broken', 'alone');
    const both = ['fine', 'broken'].map((name) => ({ item: item(name), language: en }));
    await bench.run((transaction) => publishMany(transaction, both, NOON));
    await bench.run((transaction) => schedulePublish(transaction, item('alone'), en, NOON));
    const job = await bench.jobOf('broken');
    await bench.run(async (transaction) => {
      const elements = transaction.model.typeByCodename.get('note')?.elements ?? [];
      await updateType(
        transaction,
        { codename: 'note' },
        { elements: elements.map((element) => ({ ...element, is_required: true })) },
      );
    });
    await bench.run((transaction) => bench.write(transaction, 'broken', ''));
    await bench.at(NOON, 'alone', 'first');
    const { sql } = bench.core.operations.storage;
    await until(async () => (await findJob(sql, job)).state !== 'waiting');
    const { state, due, error } = await findJob(sql, job);
    expect([state, due]).to.deep.equal(['failed', null]);
    expect(error).to.contain("The element 'text' of 'broken' (default): A value is required");
    expect(error).not.to.contain("'fine'");
    for (const name of ['fine', 'broken']) {
      expect(await bench.text(name)).to.equal(undefined);
      expect(await bench.jobOf(name)).to.equal('');
    }
  });

  it('is not a fraction of a second early', async () => {
    await bench.notes('half');
    bench.now = new Date('2030-06-01T12:00:00.100Z');
    await bench.run((transaction) =>
      schedulePublish(transaction, item('half'), en, '2030-06-01T14:00:00.5004+02:00'),
    );
    const { sql } = bench.core.operations.storage;
    expect(await findJob(sql, await bench.jobOf('half'))).to.include({ due: '2030-06-01T12:00:00.5004000Z' });
    bench.now = new Date('2030-06-01T12:00:00.500Z');
    await pause(1200);
    expect(await bench.text('half')).to.equal(undefined);
    await bench.at('2030-06-01T12:00:00.501Z', 'half', 'first');
  });

  it('survives a restart and publishes at the start the variants that came due', async () => {
    await bench.notes('late', 'later');
    await bench.run((transaction) => schedulePublish(transaction, item('late'), en, NOON));
    await bench.run((transaction) => schedulePublish(transaction, item('later'), en, '2030-06-01T13:00:00Z'));
    await bench.core.close();
    bench.now = new Date('2030-06-01T12:30:00Z');
    await bench.start();
    await bench.core.operations.settled();
    expect(await bench.text('late')).to.equal('first');
    expect(await bench.text('later')).to.equal(undefined);
    await bench.at('2030-06-01T13:00:00Z', 'later', 'first');
  });

  it('publishes nothing early or twice when the clock is set back', async () => {
    await bench.notes('back');
    bench.now = new Date('2030-06-01T11:59:58Z');
    await bench.run((transaction) => schedulePublish(transaction, item('back'), en, NOON));
    bench.now = new Date('2030-06-01T08:00:00Z');
    await pause(2500);
    expect(await bench.text('back')).to.equal(undefined);
    await bench.at(NOON, 'back', 'first');
  });

  it('publishes at once when the time has passed', async () => {
    await bench.notes('past');
    await bench.run((transaction) => schedulePublish(transaction, item('past'), en, '2030-06-01T09:00:00Z'));
    expect(await bench.text('past')).to.equal('first');
  });

  it('is retried after a temporary failure, without delaying others', async () => {
    await bench.notes('held', 'free');
    const { storage } = bench.core.operations;
    const row = await storage.sql.get<{ number: number }>(`SELECT number FROM item WHERE codename = 'held'`);
    const end = await bench.database.failUpdates(
      storage,
      'variant',
      'published',
      `OLD.item = ${row?.number}`,
    );
    await bench.run((transaction) => schedulePublish(transaction, item('held'), en, NOON));
    await bench.run((transaction) => schedulePublish(transaction, item('free'), en, '2030-06-01T12:30:00Z'));
    const job = await bench.jobOf('held');
    bench.quiet = true;
    await bench.at('2030-06-01T12:31:00Z', 'free', 'first');
    expect(await bench.text('held')).to.equal(undefined);
    expect((await findJob(storage.sql, job)).state).to.equal('waiting');
    await end();
    await bench.at('2030-06-01T12:32:00Z', 'held', 'first');
    expect((await findJob(storage.sql, job)).state).to.equal('done');
  });

  it('can be canceled and moved, and is refused without a draft', async () => {
    await bench.notes('one');
    const refused = await failure(() =>
      bench.run((transaction) => cancelScheduledPublish(transaction, item('one'), en)),
    );
    expect(refused.code).to.equal(218);
    for (const wrong of ['tomorrow', 7, null, '2030-02-30T00:00:00Z'])
      expect(
        (
          await failure(() =>
            bench.run((transaction) => schedulePublish(transaction, item('one'), en, wrong)),
          )
        ).code,
      ).to.equal(5);
    await bench.run((transaction) => schedulePublish(transaction, item('one'), en, NOON));
    const first = await bench.jobOf('one');
    await bench.run((transaction) => schedulePublish(transaction, item('one'), en, '2030-06-01T13:00:00Z'));
    const second = await bench.jobOf('one');
    const { sql } = bench.core.operations.storage;
    expect((await findJob(sql, first)).state).to.equal('canceled');
    await bench.run((transaction) => cancelScheduledPublish(transaction, item('one'), en));
    expect((await findJob(sql, second)).state).to.equal('canceled');
    await bench.run((transaction) => publishVariant(transaction, item('one'), en));
    const published = await failure(() =>
      bench.run((transaction) => schedulePublish(transaction, item('one'), en, NOON)),
    );
    expect(published.status).to.equal(400);
  });

  it('ends when the variant is published or deleted or its item archived; restoring does not resume it', async () => {
    await bench.notes('early', 'deleted', 'archived');
    for (const name of ['early', 'archived'])
      await bench.run((transaction) => schedulePublish(transaction, item(name), en, NOON));
    const jobs = [await bench.jobOf('early'), await bench.jobOf('archived')];
    await bench.run((transaction) => publishVariant(transaction, item('early'), en));
    const { id } = await bench.run(async (transaction) => {
      await newVersion(transaction, item('early'), en);
      await bench.write(transaction, 'early', 'second');
      const archived = await transaction.tx.get<{ id: string }>(
        `SELECT id FROM item WHERE codename = 'archived'`,
      );
      await deleteItem(transaction, item('archived'));
      return archived!;
    });
    await bench.run((transaction) => restoreItem(transaction, id));
    const { sql } = bench.core.operations.storage;
    for (const job of jobs) expect((await findJob(sql, job)).state).to.equal('canceled');
    await bench.run((transaction) => schedulePublish(transaction, item('deleted'), en, NOON));
    await bench.run((transaction) => deleteVariant(transaction, item('deleted'), en));
    bench.now = new Date(NOON);
    await pause(1200);
    expect(await bench.text('early')).to.equal('first');
    expect(await bench.text('archived')).to.equal(undefined);
  });

  it('publishes or cancels the variants of one call together', async () => {
    await bench.notes('a', 'b', 'c');
    const variants = ['a', 'b', 'c'].map((name) => ({ item: item(name), language: en }));
    await bench.run((transaction) => publishMany(transaction, variants, NOON));
    await bench.run((transaction) => cancelScheduledPublish(transaction, item('c'), en));
    const before = await bench.core.operations.storage.sql.get<{ sequence: number }>(
      'SELECT sequence FROM installation',
    );
    await bench.at(NOON, 'a', 'first');
    expect(await bench.text('b')).to.equal('first');
    expect(await bench.text('c')).to.equal(undefined);
    const after = await bench.core.operations.storage.sql.get<{ sequence: number }>(
      'SELECT sequence FROM installation',
    );
    expect(after!.sequence).to.equal(before!.sequence + 1);

    await bench.notes('d', 'e');
    const more = ['d', 'e'].map((name) => ({ item: item(name), language: en }));
    await bench.run((transaction) => publishMany(transaction, more, '2030-06-02T12:00:00Z'));
    const job = await bench.jobOf('d');
    await bench.run((transaction) => cancelSchedule(transaction, job));
    expect(await bench.jobOf('e')).to.equal('');
  });

  it('publishes several at once, or none and reports all findings', async () => {
    await bench.notes('x', 'y');
    const wrong = [
      { item: item('x'), language: en },
      { item: item('missing'), language: en },
      { item: item('y'), language: { codename: 'nowhere' } },
      { item: item('x'), language: en },
    ];
    const refused = await failure(() => bench.run((transaction) => publishMany(transaction, wrong)));
    expect(refused.validationErrors?.map(({ path }) => path)).to.deep.equal([
      'variants[1]',
      'variants[2]',
      'variants[3]',
    ]);
    expect(await bench.text('x')).to.equal(undefined);
    await bench.run((transaction) =>
      publishMany(transaction, [wrong[0]!, { item: item('y'), language: en }]),
    );
    expect([await bench.text('x'), await bench.text('y')]).to.deep.equal(['first', 'first']);
    const plan = await bench.run((transaction) => planPublish(transaction, [wrong[0]!]));
    expect(plan.targets[0]?.change).to.equal('none');
  });
});
