import { chmod, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sqlite3 from 'sqlite3';
import { StartError } from '../../config/start-error.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { SQLITE_READS } from '../../core/storage/sqlite/read-dialect.ts';
import { runStatements } from '../support/database/run-statements.ts';
import { writeTables } from '../support/service/new-installation.ts';
import { forgetCounts, storageSuite } from './storage-suite.ts';

storageSuite('SQLite', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-storage-'));
  await writeTables(folder);
  const file = join(folder, 'headwater.db');
  let storage = await openSqlite({ file, clock });
  return {
    storage,
    async reopen() {
      await storage.close();
      storage = await openSqlite({ file, clock });
      return storage;
    },
    async empty() {
      await emptyTables(storage);
      forgetCounts(storage, SQLITE_READS);
    },
    async dispose() {
      await storage.close();
      await rm(folder, { recursive: true });
    },
  };
});

/** Leaves no row that a test wrote; what the open store knows of its database stays true. */
async function emptyTables(storage: Storage): Promise<void> {
  const tables = await storage.sql.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('installation', 'role')
       AND name NOT LIKE 'knex_%' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'full_text%'`,
  );
  await runStatements(
    storage,
    'PRAGMA defer_foreign_keys = ON',
    ...tables.map(({ name }) => `DELETE FROM ${name}`),
    `INSERT INTO full_text (full_text) VALUES ('delete-all')`,
    'DELETE FROM installation WHERE id > 1',
  );
}

describe('SQLite file', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-storage-'));
    file = join(folder, 'content.sqlite');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made readable by its user alone, with its WAL and copies', async () => {
    await (await openSqlite({ file })).close();
    await chmod(file, 0o644);
    const storage = await openSqlite({ file });
    await storage.write((tx) => tx.run('UPDATE installation SET created = created'));
    await storage.copyTo(join(folder, 'copy.sqlite'));
    const names = await readdir(folder);
    expect(names).to.include.members(['content.sqlite', 'content.sqlite-wal', 'copy.sqlite']);
    for (const name of names)
      expect(((await stat(join(folder, name))).mode & 0o777).toString(8), name).to.equal('600');
    await storage.close();
  });

  it('refuses a file that is no database, and does not change it', async () => {
    await writeFile(file, 'Dear diary, '.repeat(100));
    expect(await startError()).to.match(/not a database/);
  });

  it('refuses the database of another program', async () => {
    await new Promise<void>((resolve, reject) => {
      const other = new sqlite3.Database(file);
      other.exec('CREATE TABLE theirs (a)', (error) =>
        error ? reject(error) : other.close(() => resolve()),
      );
    });
    expect(await startError()).to.match(/another program/);
  });

  it('refuses an incomplete file', async () => {
    await (await openSqlite({ file })).close();
    await truncate(file, 20_000);
    expect(await startError()).to.match(/half/);
  });

  it('reports a folder that is not writable', async () => {
    file = join(folder, 'nowhere', 'content.sqlite');
    expect(await startError()).to.be.a('string');
  });

  async function startError(): Promise<string> {
    const error: unknown = await openSqlite({ file }).then(
      async (storage) => {
        await storage.close();
        return undefined;
      },
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(StartError);
    return (error as Error).message;
  }
});
