/** Lists are completed beside a core of a version that does not know them. */
import '../support/database/postgres-programs.ts';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { USE } from '../../core/storage/stale.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { longTest } from '../support/long-form.ts';
import { wrongBlocks } from '../support/projects/wrong-blocks.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';
import { until } from '../support/until.ts';

/** Of another project. */
const VIEW = 2000;

describe('lists and full text, while a core of version 0.2.0 has the duty to recompile', () => {
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  let folder: string;
  let older: Storage;
  let core: RunningCore;
  before(async () => {
    database = await postgresDatabase();
    folder = await mkdtemp(join(tmpdir(), 'headwater-listing-'));
    older = await openPostgres({ url: database.url });
    expect((await older.owner.exclusive('recompilation')).term).to.be.above(0);
    core = await start();
  });
  after(async () => {
    await core.close();
    await older.close();
    await rm(folder, { recursive: true });
    await database.remove();
  });

  const start = () =>
    openCore({
      dataDir: folder,
      databaseUrl: database.url,
      log: SILENT,
    });

  it('are completed by the newer core', async () => {
    const { operations } = core;
    const { id } = await operations.installation(null, (to) => createProject(to, { name: 'One' }));
    await operations.inProject(id, null, async (to) => {
      await createType(to, { name: 'Note', elements: [] });
      await createItem(to, { name: 'First', type: { codename: 'note' } });
    });
    // Triggers mark what the older version writes.
    await older.write((tx) => tx.run(`UPDATE item SET name = 'Second'`));
    await until(async () => (await operations.storage.sql.get('SELECT item FROM unlisted')) === undefined);
    expect(await operations.storage.sql.all('SELECT name FROM listed')).to.deep.equal([{ name: 'second' }]);
  });

  longTest('also of a language that the older core adds, and after documents that it compiles', async () => {
    const { sql } = core.operations.storage;
    const asOlder = (text: string) =>
      older.write(async (tx) => {
        await tx.run('SET LOCAL headwater.blocks = off');
        await tx.run(text);
      });
    const listed = () => sql.all('SELECT name, lacking FROM listed ORDER BY language');
    const isListed = () => until(async () => (await sql.get('SELECT 1 AS one FROM unlisted')) === undefined);
    await asOlder(
      `INSERT INTO language (number, project, ordinal, id, name, codename, active, is_default, fallback)
       SELECT number + 1000, project, 1, '${randomUUID()}', 'German', 'de', 1, 0, id FROM language`,
    );
    await isListed();
    expect(await listed()).to.deep.equal([
      { name: 'second', lacking: 0 },
      { name: 'second', lacking: 0 },
    ]);
    await older.write((tx) => tx.run('UPDATE listed SET lacking = 1, searched = NULL'));
    await asOlder(
      `INSERT INTO document (number, project, item, language, type, version, visible, compiled_at, slug, components, body, layout)
       SELECT 1000, project, number, 0, type, 0, 0, 0, '', '', '', '' FROM item`,
    );
    await isListed();
    expect((await listed())[0]).to.deep.equal({ name: 'second', lacking: 0 });
  });

  longTest('and which assets are used by documents that the older core compiles', async () => {
    const { sql } = core.operations.storage;
    const used = async (expected: number) =>
      until(
        async () => (await sql.get<{ used: number }>('SELECT used FROM listed_asset'))?.used === expected,
      );
    await older.write(async (tx) => {
      await tx.run(
        `INSERT INTO file (id, project, name, hash, size, type, created)
         SELECT 'one', number, 'one.txt', '', 1, 'text/plain', '' FROM project`,
      );
      await tx.run(
        `INSERT INTO asset (number, project, id, file, created, last_modified)
         SELECT 1000, number, 'one', 'one', '', '' FROM project`,
      );
    });
    await used(0);
    for (const [statement, expected] of [
      [`INSERT INTO uses (document, kind, target) VALUES (1000, ${USE.asset}, 1000)`, 1],
      ['DELETE FROM uses WHERE document = 1000', 0],
    ] as const) {
      await older.write(async (tx) => {
        await tx.run('SET LOCAL headwater.blocks = off');
        await tx.run(statement);
      });
      await used(expected);
    }
  });

  it('and so are the counts of blocks', async () => {
    const { sql } = core.operations.storage;
    await older.write(async (tx) => {
      await tx.run('SET LOCAL headwater.blocks = off');
      const rows = [1, 2, 3].map((item) => [VIEW, item, item, 1, 1, `item_${item}`]);
      await tx.insert('resolved', ['view', 'item', 'document', 'type', 'language', 'codename'], rows);
      await tx.insert('tally', ['view', 'type', 'language', 'count'], [[VIEW, 1, 1, 3]]);
    });
    expect(await wrongBlocks(sql)).to.have.length.above(0);
    await core.close();
    core = await start();
    const after = core.operations.storage.sql;
    await until(async () => (await wrongBlocks(after)).length === 0);
  });
});
