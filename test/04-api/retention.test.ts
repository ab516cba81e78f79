import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeAuditEntry } from '../../core/access/audit.ts';
import { AuditRetention } from '../../core/access/audit-retention.ts';
import { createProject } from '../../core/access/projects.ts';
import { ChangeRetention } from '../../core/changes/change-retention.ts';
import { VersionRetention } from '../../core/changes/version-retention.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { deleteVariant, findVariant, upsertVariant } from '../../core/content/variants.ts';
import type { RetentionOptions } from '../../core/jobs/daily-retention.ts';
import { ACT_ON_MANY, CLONE, EXPORT, IMPORT, type JobKind } from '../../core/jobs/job-kinds.ts';
import { JobRetention } from '../../core/jobs/job-retention.ts';
import { endJob, startJob } from '../../core/jobs/jobs.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { openCore } from '../support/service/open-core.ts';
import { until } from '../support/until.ts';

describe('retention', () => {
  let folder: string;
  let database: TestDatabase;
  let core: RunningCore;
  let now: Date;
  let project: string;
  const note = { codename: 'note' };
  const language = { codename: 'default' };
  const entry = {
    project: null,
    act: 'test',
    subject: '',
    detail: '',
    actor: 'a',
    origin: null,
    request: null,
  };

  const run = <T>(work: (transaction: ProjectTransaction) => Promise<T>) =>
    core.operations.inProject(project, null, work);
  const write = (text: string) =>
    run((transaction) =>
      upsertVariant(transaction, note, language, {
        elements: [{ element: { codename: 'text' }, value: text }],
      }),
    );
  const rows = (table: string) =>
    core.operations.storage.sql
      .get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
      .then((row) => row?.count);
  const options = (): RetentionOptions => ({
    storage: core.operations.storage,
    clock: () => now,
    failed: (error) => expect.fail(String(error)),
  });
  const removeOld = async (changeDays: number | null, revisionDays: number | null) => {
    await new ChangeRetention(options(), changeDays).removeOld();
    await new VersionRetention(options(), revisionDays).removeOld();
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-retention-'));
    database = await testDatabase();
    now = new Date('2030-01-01T00:00:00Z');
    core = await openCore({ dataDir: folder, databaseUrl: database.url, now: () => now });
    project = (await core.operations.installation(null, (to) => createProject(to, { name: 'Past' }))).id;
    await run(async (transaction) => {
      await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Text' }] });
      await createItem(transaction, { name: 'Note', type: { codename: 'note' } });
    });
  });
  afterEach(async () => {
    await core.close();
    await rm(folder, { recursive: true });
    await database.remove();
  });

  it('removes versions that are old and neither draft nor published', async () => {
    for (const text of ['one', 'two', 'public']) await write(text);
    await run((transaction) => publishVariant(transaction, note, language));
    await run((transaction) => newVersion(transaction, note, language));
    for (const text of ['three', 'draft']) await write(text);
    expect(await rows('version')).to.equal(5);
    now = new Date('2030-01-20T00:00:00Z');
    await removeOld(null, 30);
    expect(await rows('version')).to.equal(5);
    await removeOld(null, 10);
    expect(await rows('version')).to.equal(2);
    const { elements } = await run((transaction) => findVariant(transaction, note, language));
    expect(Object.values(elements)).to.deep.equal(['draft']);
    await run((transaction) => deleteVariant(transaction, note, language));
    await removeOld(null, 1);
    expect(await rows('version')).to.equal(2);
  });

  it('keeps a version that was public until lately, however long ago it was written', async () => {
    const publish = async (text: string) => {
      await write(text);
      await run((transaction) => publishVariant(transaction, note, language));
    };
    await publish('first');
    now = new Date('2031-01-01T00:00:00Z');
    await run((transaction) => newVersion(transaction, note, language));
    await publish('second');
    now = new Date('2031-01-30T00:00:00Z');
    await removeOld(null, 30);
    expect(await rows('version')).to.equal(2);
    now = new Date('2031-02-02T00:00:00Z');
    await removeOld(null, 30);
    expect(await rows('version')).to.equal(1);
  });

  it('removes old rows of the change log, over as many batches as it takes, and keeps the rest', async () => {
    await run(async (transaction) => {
      for (let index = 0; index < 1200; index++) transaction.change('note', 'test', String(index), []);
    });
    now = new Date('2030-02-01T00:00:00Z');
    await write('later');
    const all = await rows('change');
    expect(all).to.be.greaterThan(1200);
    await removeOld(60, null);
    expect(await rows('change')).to.equal(all);
    await removeOld(20, null);
    expect(await rows('change')).to.equal(1);
  });

  it('removes old rows of the change log behind those of a clock that was ahead', async () => {
    const log = (count: number) =>
      run(async (transaction) => {
        for (let index = 0; index < count; index++) transaction.change('note', 'test', String(index), []);
      });
    now = new Date('2040-01-01T00:00:00Z');
    await log(600);
    now = new Date('2030-01-02T00:00:00Z');
    await log(1);
    await log(1200);
    now = new Date('2030-02-01T00:00:00Z');
    await log(1);
    await removeOld(20, null);
    expect(await rows('change')).to.equal(601);
  });

  describe('of jobs', () => {
    const start = (id: string, kind: JobKind) =>
      core.operations.storage.write((tx) =>
        startJob(tx, { id, kind, project: 1, subject: 'test', total: 1, owner: 'process' }),
      );
    const end = (...ended: Parameters<typeof endJob> extends [unknown, ...infer Rest] ? Rest : never) =>
      core.operations.storage.write((tx) => endJob(tx, ...ended));
    const kept = () =>
      core.operations.storage.sql
        .all<{ id: string }>(`SELECT id FROM job WHERE subject = 'test' ORDER BY id`)
        .then((jobs) => jobs.map(({ id }) => id));

    it('removes those that ended long ago, over as many batches as it takes', async () => {
      await core.operations.storage.write((tx) =>
        tx.run(
          `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 1100)
           INSERT INTO job (id, kind, subject, state, created, updated)
           SELECT 'old-' || n, 'clone', 'test', 'failed', ?, ? FROM counted`,
          [tx.now, tx.now],
        ),
      );
      now = new Date('2030-02-01T00:00:00Z');
      await start('late', CLONE);
      await end('late', 'done');
      await new JobRetention(options(), null).removeOld();
      expect(await rows('job')).to.equal(1101);
      await new JobRetention(options(), 40).removeOld();
      expect(await rows('job')).to.equal(1101);
      await new JobRetention(options(), 20).removeOld();
      expect(await kept()).to.deep.equal(['late']);
    });

    it('keeps those that something still needs', async () => {
      await start('running', CLONE);
      await start('import', IMPORT);
      await end('import', 'done');
      await start('removed-import', IMPORT);
      await end('removed-import', 'canceled');
      await core.operations.storage.write((tx) =>
        tx.run(`UPDATE job SET project = NULL WHERE id = 'removed-import'`),
      );
      await start('archive', EXPORT);
      await end('archive', 'done', null, '{}');
      await start('export', EXPORT);
      await end('export', 'failed', 'reason');
      await start('act', ACT_ON_MANY);
      await end('act', 'done');
      await core.operations.storage.write((tx) =>
        tx.run(`INSERT INTO act (job, project, name, input, created) VALUES ('act', 1, 'publish', '{}', ?)`, [
          tx.now,
        ]),
      );
      now = new Date('2030-03-01T00:00:00Z');
      await new JobRetention(options(), 7).removeOld();
      expect(await kept()).to.deep.equal(['act', 'archive', 'import', 'running']);
    });
  });

  it('of jobs and of the audit log is that of the settings', async () => {
    await core.operations.storage.write(async (tx) => {
      await startJob(tx, { id: 'old', kind: CLONE, project: null, subject: 'test', total: 1 });
      await endJob(tx, 'old', 'done');
      for (let index = 0; index < 2; index++) await writeAuditEntry(tx, entry);
    });
    now = new Date('2030-01-20T00:00:00Z');
    for (const [retention, jobs, entries] of [
      [{ jobDays: 30, auditDays: 10 }, 1, 1],
      [{ jobDays: 10, auditDays: 30 }, 0, 1],
    ] as const) {
      await core.close();
      core = await openCore({ dataDir: folder, databaseUrl: database.url, now: () => now, retention });
      await until(async () => (await rows('job')) === jobs && (await rows('audit')) === entries);
    }
  });

  describe('of the audit log', () => {
    const write = (count: number) =>
      core.operations.storage.write(async (tx) => {
        for (let index = 0; index < count; index++) await writeAuditEntry(tx, entry);
      });

    it('removes old entries, and never gives a number twice', async () => {
      await write(1100);
      const number = () =>
        core.operations.storage.sql
          .get<{ last: number }>('SELECT max(number) AS last FROM audit')
          .then((row) => row?.last ?? 0);
      const last = await number();
      now = new Date('2030-02-01T00:00:00Z');
      await new AuditRetention(options(), null).removeOld();
      await new AuditRetention(options(), 40).removeOld();
      expect(await rows('audit')).to.equal(last);
      await new AuditRetention(options(), 20).removeOld();
      expect(await rows('audit')).to.equal(1);
      await write(1);
      expect(await number()).to.equal(last + 1);
      await new AuditRetention(options(), 20).removeOld();
      expect(await rows('audit')).to.equal(1);
    });
  });
});
