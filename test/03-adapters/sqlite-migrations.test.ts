import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import knex from 'knex';
import { programVersion } from '../../config/program-version.ts';
import { StartError } from '../../config/start-error.ts';
import { migrationSource, migrations, migrationsOf } from '../../core/storage/migrations/migration-list.ts';
import { countBlocks } from '../../core/storage/resolved-blocks.ts';
import { migrateSqlite, openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { COUNTED, COUNTS, LISTED_BEFORE } from './author-counts.ts';

describe('migrations of an SQLite file', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-migrations-'));
    file = join(folder, 'headwater.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function onFile(work: (database: knex.Knex) => Promise<unknown>): Promise<void> {
    const database = knex({ client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true });
    await work(database).finally(() => database.destroy());
  }

  it('keep a copy of the state before them next to the file', async () => {
    const [first, second] = migrations;
    await onFile(async (database) => {
      await database.raw('PRAGMA application_id = 0x48445752');
      await database.migrate.latest({
        migrationSource: migrationSource([first!]),
      });
      await database.raw(
        `INSERT INTO installation (id, epoch, sequence, created) VALUES (1, 'e', 7, 'then')`,
      );
    });
    const storage = await openSqlite({ file });
    expect(storage.epoch).to.equal('e');
    await storage.close();
    const copy = `headwater.db.before-${second!.name}`;
    expect(await readdir(folder)).to.have.members(['headwater.db', copy]);
    await (await openSqlite({ file })).close();
    expect(await readdir(folder)).to.have.members(['headwater.db', copy]);
    file = join(folder, copy);
    await onFile(async (database) => {
      expect(await database('installation').select('sequence')).to.deep.equal([{ sequence: 7 }]);
      expect(await database('knex_migrations').select('name')).to.deep.equal([{ name: first!.name }]);
    });
  });

  it('keep a copy of what was written after an earlier attempt', async () => {
    const [first, second] = migrations;
    await onFile(async (database) => {
      await database.raw('PRAGMA application_id = 0x48445752');
      await database.migrate.latest({ migrationSource: migrationSource([first!]) });
      await database.raw(
        `INSERT INTO installation (id, epoch, sequence, created) VALUES (1, 'e', 7, 'then')`,
      );
    });
    const copy = `${file}.before-${second!.name}`;
    await copyFile(file, copy);
    await onFile((database) => database('installation').update({ sequence: 8 }));
    await (await openSqlite({ file })).close();
    file = copy;
    await onFile(async (database) => {
      expect(await database('installation').select('sequence')).to.deep.equal([{ sequence: 8 }]);
    });
  });

  it('count the blocks of items that a file has, as a view that is counted again', async () => {
    const before = migrationsOf('sqlite').filter(({ name }) => name < '0037');
    const rows = Array.from({ length: 9000 }, (_, item) => [
      2,
      item,
      item,
      1 + (item % 2),
      1,
      `item_${item}`,
    ]);
    await onFile(async (database) => {
      await database.raw('PRAGMA application_id = 0x48445752');
      await database.migrate.latest({ migrationSource: migrationSource(before) });
      await database.raw(
        'INSERT INTO resolved (view, item, document, type, language, codename) SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?)',
        [JSON.stringify(rows)],
      );
      await database.raw(
        'INSERT INTO tally (view, type, language, count) VALUES (2, 1, 1, 4500), (2, 2, 1, 4500)',
      );
    });
    const storage = await openSqlite({ file });
    const blocks = () => storage.sql.all('SELECT * FROM resolved_block ORDER BY view, type, codename');
    const migrated = await blocks();
    expect(migrated.map(({ type, count }) => [type, count])).to.deep.equal([
      [0, 2048],
      [0, 2048],
      [0, 2048],
      [0, 2048],
      [0, 808],
      ...[1, 2].flatMap((type) => [2048, 2048, 404].map((count) => [type, count])),
    ]);
    await storage.write((tx) => countBlocks(tx, 2));
    expect(await blocks()).to.deep.equal(migrated);
    await storage.close();
  });

  it('count the listed items of each author that a file has', async () => {
    const before = migrationsOf('sqlite').filter(({ name }) => name < '0040');
    await onFile(async (database) => {
      await database.raw('PRAGMA application_id = 0x48445752');
      await database.migrate.latest({ migrationSource: migrationSource(before) });
      await database.raw(LISTED_BEFORE);
      await database.raw('INSERT INTO listed_count (language, type, state, count) VALUES (7, 3, 1, 4)');
    });
    const storage = await openSqlite({ file });
    expect(await storage.sql.all(COUNTS)).to.deep.equal(COUNTED);
    await storage.close();
  });

  it('refuse a file of a newer version, with a clear message', async () => {
    await (await openSqlite({ file })).close();
    await onFile((database) =>
      database('knex_migrations').insert({
        name: '9999-from-the-future',
        batch: 9,
        migration_time: new Date(),
      }),
    );
    const error = await openSqlite({ file }).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error).to.be.instanceOf(StartError);
    expect(error?.message).to.include('9999-from-the-future').and.to.include('newer version');
  });

  it('accept a newer file that this version can use, and refuse one that needs a later version', async () => {
    await (await openSqlite({ file })).close();
    const add = (name: string, version: string) =>
      onFile(async (database) => {
        await database('knex_migrations').insert({ name, batch: 9, migration_time: new Date() });
        await database('knex_migrations_oldest').insert({ migration: name, version });
      });
    await add('9998-compatible', programVersion());
    const [last] = migrationsOf('sqlite').slice(-1);
    expect(await migrateSqlite(file, {})).to.deep.equal({
      from: '9998-compatible',
      to: '9998-compatible',
      count: 0,
    });
    await (await openSqlite({ file, migrations: { refusal: 'it is not asked to' } })).close();
    await add('9999-incompatible', '1000.0.0');
    const error = await openSqlite({ file }).catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(StartError);
    expect((error as Error).message).to.equal(
      `${file} was written by a newer version (it has migration 9999-incompatible, which needs version 1000.0.0 or newer; this is ${programVersion()}); start that version instead.`,
    );
    await onFile(async (database) => {
      await database('knex_migrations').where({ name: '9999-incompatible' }).delete();
      await database('knex_migrations').where({ name: last!.name }).delete();
    });
    const partial = await openSqlite({ file }).catch((thrown: Error) => thrown);
    expect((partial as Error).message).to.include('only partly migrated');
  });

  it('record the oldest version that works with them', async () => {
    await (await openSqlite({ file })).close();
    await onFile(async (database) => {
      expect(await database('knex_migrations_oldest').select('migration', 'version')).to.deep.equal(
        migrationsOf('sqlite').flatMap(({ name, oldest }) =>
          oldest === undefined ? [] : [{ migration: name, version: oldest }],
        ),
      );
    });
    const unrecorded = migrations.filter(({ name, oldest }) => name >= '0019' && oldest === undefined);
    expect(unrecorded).to.deep.equal([]);
  });

  it('are applied in advance, and are refused by a store that may not migrate', async () => {
    const names = migrationsOf('sqlite').map(({ name }) => name);
    const options = { refusal: 'it is not asked to' };
    const refused = await openSqlite({ file, migrations: options }).catch((thrown: Error) => thrown);
    expect(refused).to.be.instanceOf(StartError);
    expect((refused as Error).message).to.match(/has no tables yet, .*: run 'headwater migrate'/);
    const began: string[] = [];
    const to = names.at(-1);
    expect(await migrateSqlite(file, { began: ({ name }) => began.push(name) })).to.deep.equal({
      from: null,
      to,
      count: names.length,
    });
    expect(began).to.deep.equal(names);
    expect(await migrateSqlite(file, {})).to.deep.equal({ from: to, to, count: 0 });
    await (await openSqlite({ file, migrations: options })).close();
  });

  it('refuse a file that lacks one in between', async () => {
    await (await openSqlite({ file })).close();
    await onFile((database) => database('knex_migrations').where({ name: '0004-folders-webhooks' }).delete());
    const error = await openSqlite({ file }).catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(StartError);
    expect((error as Error).message).to.include('only partly migrated');
  });
});
