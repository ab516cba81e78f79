import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { Retention } from '../../core/changes/retention.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { deleteVariant, findVariant, upsertVariant } from '../../core/content/variants.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { openCore } from '../support/service/open-core.ts';

describe('retention of changes and versions', () => {
  let folder: string;
  let database: TestDatabase;
  let core: RunningCore;
  let now: Date;
  let project: string;
  const note = { codename: 'note' };
  const language = { codename: 'default' };

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
  const removeOld = (changeDays: number | null, revisionDays: number | null) =>
    new Retention(
      {
        storage: core.operations.storage,
        clock: () => now,
        failed: (error) => expect.fail(String(error)),
      },
      { changeDays, revisionDays },
    ).removeOld();

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
});
