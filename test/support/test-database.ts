/**
 * The database that a test starts the service on: an SQLite file in its data folder, or with
 * `HEADWATER_TEST_DATABASE=postgres` a database of its own on the PostgreSQL server of this process.
 */
import { join } from 'node:path';
import type { Storage } from '../../core/storage/ports.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { postgresServer } from './postgres.ts';
import { postgresDatabase } from './postgres-database.ts';

export interface TestDatabase {
  /** null = SQLite in the data folder. */
  readonly url: string | null;
  /** Opens its storage without a service. */
  open(folder: string, clock?: () => Date): Promise<Storage>;
  remove(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
  if (isPostgres()) return postgresDatabase();
  return {
    url: null,
    open: (folder, clock) => openSqlite({ file: join(folder, 'headwater.db'), ...(clock && { clock }) }),
    remove: async () => {},
  };
}

/** Microseconds of CPU of the database's own processes. */
export async function databaseCpu(): Promise<number> {
  return isPostgres() ? (await postgresServer()).cpu() : 0;
}

function isPostgres(): boolean {
  const wanted = process.env['HEADWATER_TEST_DATABASE'] ?? 'sqlite';
  if (wanted !== 'sqlite' && wanted !== 'postgres')
    throw new Error(`HEADWATER_TEST_DATABASE is ${wanted}: use sqlite or postgres.`);
  return wanted === 'postgres';
}
