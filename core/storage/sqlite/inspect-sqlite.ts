import { migrationsOf } from '../migrations/migration-list.ts';
import { missingMigrations } from '../migrations/missing-migrations.ts';
import type { Sql } from '../sql.ts';
import { lacksIndexes } from './bulk-load.ts';
import { appliedMigrations } from './migrate.ts';
import { checkFile, startError } from './open-sqlite.ts';
import { openReadConnection } from './read-connection.ts';

export interface InspectedSqlite {
  /** The last migration; null = there are no tables. */
  readonly schema: string | null;
  readonly missingMigrations: readonly string[];
  /** Indexes that a load leaves out until its end are missing. */
  readonly lacksIndexes: boolean;
}

/**
 * Inspects an existing database file beside a process that uses it, and changes nothing in it; then runs `work` on it, if its
 * schema is up to date.
 * @throws StartError for a file that cannot be used
 */
export async function inspectSqlite<T>(
  file: string,
  work: (sql: Sql) => Promise<T>,
): Promise<InspectedSqlite & { readonly result: T | undefined }> {
  await checkFile(file);
  try {
    const connection = await openReadConnection(file, 'export');
    try {
      const applied = await appliedMigrations(connection);
      const missing = missingMigrations(applied, migrationsOf('sqlite'), file).map(({ name }) => name);
      return {
        schema: applied.at(-1)?.name ?? null,
        missingMigrations: missing,
        lacksIndexes: missing.length === 0 && (await lacksIndexes(connection)),
        result: missing.length === 0 ? await work(connection) : undefined,
      };
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw startError(error, file);
  }
}
