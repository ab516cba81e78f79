import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import knex from 'knex';
import { migrationSource, migrations } from '../../core/storage/migrations/migration-list.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { StorageStartError } from '../../core/storage/start-error.ts';

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
    expect(error).to.be.instanceOf(StorageStartError);
    expect(error?.message).to.include('9999-from-the-future').and.to.include('newer version');
  });
});
