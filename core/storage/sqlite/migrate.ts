import { chmod, rename, rm } from 'node:fs/promises';
import { flushToDisk } from '../flush-to-disk.ts';
import { migrationsOf } from '../migrations/migration-list.ts';
import {
  type AppliedMigration,
  missingMigrations,
  outdatedSchema,
  readApplied,
} from '../migrations/missing-migrations.ts';
import {
  type Migrated,
  type MigrationOptions,
  migrated,
  runMigrations,
} from '../migrations/run-migrations.ts';
import type { Connection } from './connection.ts';
import { sortingBeside } from './sorting-beside.ts';

/**
 * Applies missing migrations.
 * @throws StartError for a newer or an incomplete schema
 */
export async function applyMigrations(
  connection: Connection,
  file: string,
  { refusal, began }: MigrationOptions = {},
): Promise<Migrated> {
  const list = migrationsOf('sqlite');
  const applied = await appliedMigrations(connection);
  const missing = missingMigrations(applied, list, file);
  const [next] = missing;
  if (next === undefined) return migrated(applied, missing);
  if (refusal !== undefined) throw outdatedSchema(applied, file, refusal);
  // A migration cannot be undone, so a copy of the state before it stays next to the file.
  if (applied.length > 0) await copyBefore(connection, `${file}.before-${next.name}`);
  // The data folder has one owner.
  const isLocked = await hasTable(connection, 'knex_migrations_lock');
  await sortingBeside(file, connection, () =>
    runMigrations(
      { client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true },
      list,
      applied,
      { isLocked, ...(began && { began }) },
    ),
  );
  return migrated(applied, missing);
}

/**
 * Replaces the copy that an earlier start has made: where its migrations failed, or the copy was put back, the version before
 * has written since. It is removed first, because there may be no space for both.
 */
async function copyBefore(connection: Connection, copy: string): Promise<void> {
  const unfinished = `${copy}.unfinished`;
  for (const file of [copy, unfinished]) await rm(file, { force: true });
  await connection.execute(`VACUUM INTO '${unfinished.replaceAll("'", "''")}'`);
  await chmod(unfinished, 0o600);
  await flushToDisk(unfinished);
  await rename(unfinished, copy);
}

export function appliedMigrations(connection: Connection): Promise<AppliedMigration[]> {
  return readApplied(connection, hasTable);
}

async function hasTable(connection: Connection, name: string): Promise<boolean> {
  const row = await connection.get(`SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = ?`, [
    name,
  ]);
  return row !== undefined;
}
