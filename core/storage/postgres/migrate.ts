import { type ListedMigration, migrationSource, migrationsOf } from '../migrations/migration-list.ts';
import { StorageStartError } from '../start-error.ts';
import type { PostgresConnection } from './connection.ts';

/** "HDWR": key of the lock that a process holds while it migrates. */
const LOCK = 0x48445752;

export interface SchemaToMigrate {
  /** By default the one of the connection. */
  readonly schema?: string;
  /** Only these migrations. */
  readonly upTo?: readonly string[];
}

/**
 * Applies missing migrations, while other processes that start wait. Loads knex only if there are any.
 * @throws StorageStartError for a database of another application, a newer or an incomplete schema
 */
export async function applyMigrations(connection: PostgresConnection, target: string): Promise<void> {
  if (await isUpToDate(connection, target, migrationsOf('postgres'))) return;
  await connection.run('SELECT pg_advisory_lock(?)', [LOCK]);
  try {
    await migrateSchema(connection, target);
  } finally {
    await connection.run('SELECT pg_advisory_unlock(?)', [LOCK]);
  }
}

/** The same without a lock. */
export async function migrateSchema(
  connection: PostgresConnection,
  target: string,
  { schema, upTo }: SchemaToMigrate = {},
): Promise<void> {
  const all = migrationsOf('postgres');
  const newer = upTo?.find((name) => !all.some((one) => one.name === name));
  if (newer !== undefined) throw newerSchema(target, newer);
  const list = upTo ? all.filter(({ name }) => upTo.includes(name)) : all;
  if (await isUpToDate(connection, target, list)) return;
  const { default: knex } = await import('knex');
  const database = knex({
    client: 'pg',
    connection: { connectionString: await connection.url() },
    pool: { min: 0, max: 1 },
    ...(schema !== undefined && { searchPath: [schema] }),
  });
  try {
    const source = { migrationSource: migrationSource(list) };
    // An existing lock of knex belongs to a process that was killed.
    if (await exists(connection, 'knex_migrations_lock'))
      await database.migrate.forceFreeMigrationsLock(source);
    await database.migrate.latest(source);
  } finally {
    await database.destroy();
  }
}

async function isUpToDate(
  connection: PostgresConnection,
  target: string,
  list: readonly ListedMigration[],
): Promise<boolean> {
  const names = list.map(({ name }) => name);
  const applied = await appliedMigrations(connection);
  const isOurs = applied.length === 0 || applied.some((name) => names.includes(name));
  const hasTables = await connection.get(
    `SELECT 1 AS found FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND relname NOT LIKE 'knex_migrations%' LIMIT 1`,
  );
  if (!isOurs || (applied.length === 0 && hasTables))
    throw new StorageStartError(`${target} has tables of another application; create an empty database.`);
  const newer = applied.filter((name) => !names.includes(name)).at(-1);
  if (newer !== undefined) throw newerSchema(target, newer);
  const isWhole = applied.every((name, index) => name === names[index]);
  if (!isWhole || (applied.length > 0 && !(await exists(connection, 'installation'))))
    throw new StorageStartError(`${target} is only partly migrated; restore it from a backup.`);
  return applied.length === names.length;
}

function newerSchema(target: string, migration: string): StorageStartError {
  return new StorageStartError(
    `${target} was written by a newer version (it has migration ${migration}); start that version instead.`,
  );
}

async function appliedMigrations(connection: PostgresConnection): Promise<string[]> {
  if (!(await exists(connection, 'knex_migrations'))) return [];
  const rows = await connection.all<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

async function exists(connection: PostgresConnection, table: string): Promise<boolean> {
  const row = await connection.get<{ found: string | null }>('SELECT to_regclass(?)::text AS found', [table]);
  return row?.found != null;
}
