import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../storage/make-folder.ts';
import type { Migrated, MigrationOptions } from '../storage/migrations/run-migrations.ts';
import { FolderInUse, OwnerLock } from '../storage/owner-lock.ts';
import { migratePostgres } from '../storage/postgres/migrate-postgres.ts';
import { inspectSqlite } from '../storage/sqlite/inspect-sqlite.ts';
import { migrateSqlite } from '../storage/sqlite/open-sqlite.ts';
import type { CoreOptions } from './core-options.ts';

/**
 * Creates the database or brings it up to date, without starting core: on PostgreSQL beside cores that run, in a data folder
 * as its owner, or beside one whose database is up to date.
 * @throws StartError for a database that cannot be used, or an outdated one in use
 */
export async function migrateDatabase(
  { dataDir, databaseUrl }: Pick<CoreOptions, 'dataDir' | 'databaseUrl'>,
  options: MigrationOptions,
): Promise<Migrated> {
  if (databaseUrl) return migratePostgres(databaseUrl, options);
  await makeFolder(dataDir);
  const file = join(dataDir, 'headwater.db');
  let lock: OwnerLock;
  try {
    lock = await OwnerLock.take(dataDir);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const schema = await upToDateSchema(file).catch(() => undefined);
    if (schema === undefined) throw error;
    return { from: schema, to: schema, count: 0 };
  }
  try {
    return await migrateSqlite(file, options);
  } finally {
    await lock.release();
  }
}

/** Of a database in use whose owner has migrated it. */
async function upToDateSchema(file: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  const { schema, missingMigrations } = await inspectSqlite(file, async () => {});
  return missingMigrations.length === 0 ? (schema ?? undefined) : undefined;
}
