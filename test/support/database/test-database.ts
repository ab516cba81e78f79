/**
 * The database that a test starts the service on: an SQLite file in its data folder, or with
 * `HEADWATER_TEST_DATABASE=postgres` a database of its own on the PostgreSQL server of this process.
 */
import { join } from 'node:path';
import type { Storage } from '../../../core/storage/ports.ts';
import { openSqlite } from '../../../core/storage/sqlite/open-sqlite.ts';
import { writeTables } from '../service/new-installation.ts';
import { postgresServer } from './postgres.ts';
import { postgresDatabase } from './postgres-database.ts';
import { runStatements } from './run-statements.ts';

export interface TestDatabase {
  /** null = SQLite in the data folder. */
  readonly url: string | null;
  /** Opens its storage without a service. */
  open(folder: string, clock?: () => Date): Promise<Storage>;
  /** @throws where a table or an index is damaged */
  check(storage: Storage): Promise<void>;
  /** Lets updates of the column fail for rows of which `old` holds, as on a full disk. @returns what ends that */
  failUpdates(storage: Storage, table: string, column: string, old: string): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
  if (isPostgres()) return postgresDatabase();
  return {
    url: null,
    async open(folder, clock) {
      await writeTables(folder);
      return openSqlite({ file: join(folder, 'headwater.db'), ...(clock && { clock }) });
    },
    async check(storage) {
      const rows = await storage.sql.all<{ integrity_check: string }>('PRAGMA integrity_check');
      if (rows[0]?.integrity_check !== 'ok') throw new Error(JSON.stringify(rows));
    },
    async failUpdates(storage, table, column, old) {
      await runStatements(
        storage,
        `CREATE TRIGGER full_disk BEFORE UPDATE OF ${column} ON ${table} WHEN ${old}
         BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
      );
      return () => runStatements(storage, 'DROP TRIGGER full_disk');
    },
    remove: async () => {},
  };
}

/** Microseconds of CPU of the database's own processes. */
export async function databaseCpu(): Promise<number> {
  return isPostgres() ? (await postgresServer()).cpu() : 0;
}

export function isPostgres(): boolean {
  const wanted = process.env['HEADWATER_TEST_DATABASE'] ?? 'sqlite';
  if (wanted !== 'sqlite' && wanted !== 'postgres')
    throw new Error(`HEADWATER_TEST_DATABASE is ${wanted}: use sqlite or postgres.`);
  return wanted === 'postgres';
}
