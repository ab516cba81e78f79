import { migrationSource, migrations } from '../migrations/migration-list.ts';
import { StorageStartError } from '../start-error.ts';
import type { Connection } from './connection.ts';

/**
 * Applies the migrations that are missing. knex is only loaded when there are some: a start with a current
 * schema is spared its 150 ms.
 * @throws StorageStartError when the database knows migrations that this version does not
 */
export async function bringUpToDate(connection: Connection, file: string): Promise<void> {
  const known = new Set(migrations.map((entry) => entry.name));
  const applied = await appliedMigrations(connection);
  const newer = applied.filter((name) => !known.has(name));
  if (newer.length > 0)
    throw new StorageStartError(
      `${file} was written by a newer version (it has migration ${newer.at(-1)}); start that version instead.`,
    );
  if (applied.length === migrations.length) return;
  const { default: knex } = await import('knex');
  const database = knex({ client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true });
  try {
    // The data folder has one owner: a lock that stands was left by a process that was killed.
    if (await lockedBefore(connection)) await database.migrate.forceFreeMigrationsLock({ migrationSource });
    await database.migrate.latest({ migrationSource });
  } finally {
    await database.destroy();
  }
}

async function lockedBefore(connection: Connection): Promise<boolean> {
  const table = await connection.get(
    "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'knex_migrations_lock'",
  );
  return table !== undefined;
}

async function appliedMigrations(connection: Connection): Promise<string[]> {
  const table = await connection.get(
    "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'knex_migrations'",
  );
  if (!table) return [];
  const rows = await connection.all<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id');
  return rows.map((row) => row.name);
}
