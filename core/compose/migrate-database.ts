import { join } from 'node:path';
import { makeFolder } from '../storage/make-folder.ts';
import type { Migrated, MigrationOptions } from '../storage/migrations/run-migrations.ts';
import { OwnerLock } from '../storage/owner-lock.ts';
import { migratePostgres } from '../storage/postgres/migrate-postgres.ts';
import { migrateSqlite } from '../storage/sqlite/open-sqlite.ts';
import type { CoreOptions } from './core-options.ts';

/**
 * Creates the database or brings it up to date, without starting core: on PostgreSQL beside cores that run, in a data folder
 * as its owner.
 * @throws StorageStartError for a database that cannot be used, or a data folder in use
 */
export async function migrateDatabase(
  { dataDir, databaseUrl }: Pick<CoreOptions, 'dataDir' | 'databaseUrl'>,
  options: MigrationOptions,
): Promise<Migrated> {
  if (databaseUrl) return migratePostgres(databaseUrl, options);
  await makeFolder(dataDir);
  const lock = await OwnerLock.take(dataDir);
  try {
    return await migrateSqlite(join(dataDir, 'headwater.db'), options);
  } finally {
    await lock.release();
  }
}
