import { chmod, open, rename, rm, stat } from 'node:fs/promises';
import { migrationSource, migrationsOf } from '../migrations/migration-list.ts';
import { StorageStartError } from '../start-error.ts';
import type { Connection } from './connection.ts';

/**
 * Applies missing migrations. Loads knex only if there are any: that takes 150 ms.
 * @throws StorageStartError when the database knows migrations that this version does not
 */
export async function applyMigrations(connection: Connection, file: string): Promise<void> {
  const migrations = migrationsOf('sqlite');
  const known = new Set(migrations.map((entry) => entry.name));
  const applied = await appliedMigrations(connection);
  const newer = applied.filter((name) => !known.has(name));
  if (newer.length > 0)
    throw new StorageStartError(
      `${file} was written by a newer version (it has migration ${newer.at(-1)}); start that version instead.`,
    );
  if (applied.length === migrations.length) return;
  // A migration cannot be undone, so a copy of the state before it stays next to the file.
  if (applied.length > 0) await copyBefore(connection, `${file}.before-${migrations[applied.length]?.name}`);
  const { default: knex } = await import('knex');
  const database = knex({ client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true });
  try {
    // The data folder has one owner, so an existing lock belongs to a process that was killed.
    const source = { migrationSource: migrationSource(migrations) };
    if (await hasLockTable(connection)) await database.migrate.forceFreeMigrationsLock(source);
    await database.migrate.latest(source);
  } finally {
    await database.destroy();
  }
}

/** Keeps a copy that an earlier, failed start has made. */
async function copyBefore(connection: Connection, copy: string): Promise<void> {
  const existing = await stat(copy).catch(() => undefined);
  if (existing && existing.size > 0) return;
  const unfinished = `${copy}.unfinished`;
  await rm(unfinished, { force: true });
  await connection.execute(`VACUUM INTO '${unfinished.replaceAll("'", "''")}'`);
  await chmod(unfinished, 0o600);
  const handle = await open(unfinished, 'r');
  await handle.sync().finally(() => handle.close());
  await rename(unfinished, copy);
}

async function hasLockTable(connection: Connection): Promise<boolean> {
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
