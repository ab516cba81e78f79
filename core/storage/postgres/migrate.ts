import { migrationSource, migrationsOf } from '../migrations/migration-list.ts';
import { StorageStartError } from '../start-error.ts';
import type { PostgresConnection } from './connection.ts';

/** "HDWR": key of the lock that a process holds while it migrates. */
const LOCK = 0x48445752;

/**
 * Applies missing migrations, while other processes that start wait. Loads knex only if there are any.
 * @throws StorageStartError for a database of another application, a newer or an incomplete schema
 */
export async function applyMigrations(
  connection: PostgresConnection,
  url: string,
  target: string,
): Promise<void> {
  if (await isUpToDate(connection, target)) return;
  await connection.run('SELECT pg_advisory_lock(?)', [LOCK]);
  try {
    if (await isUpToDate(connection, target)) return;
    const { default: knex } = await import('knex');
    const database = knex({ client: 'pg', connection: { connectionString: url }, pool: { min: 0, max: 1 } });
    try {
      const source = { migrationSource: migrationSource(migrationsOf('postgres')) };
      // With the lock above, an existing lock of knex belongs to a process that was killed.
      if (await exists(connection, 'knex_migrations_lock'))
        await database.migrate.forceFreeMigrationsLock(source);
      await database.migrate.latest(source);
    } finally {
      await database.destroy();
    }
  } finally {
    await connection.run('SELECT pg_advisory_unlock(?)', [LOCK]);
  }
}

async function isUpToDate(connection: PostgresConnection, target: string): Promise<boolean> {
  const names = migrationsOf('postgres').map(({ name }) => name);
  const applied = await appliedMigrations(connection);
  const isOurs = applied.length === 0 || applied.some((name) => names.includes(name));
  const hasTables = await connection.get(
    `SELECT 1 AS found FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND relname NOT LIKE 'knex_migrations%' LIMIT 1`,
  );
  if (!isOurs || (applied.length === 0 && hasTables))
    throw new StorageStartError(`${target} has tables of another application; create an empty database.`);
  const newer = applied.filter((name) => !names.includes(name));
  if (newer.length > 0)
    throw new StorageStartError(
      `${target} was written by a newer version (it has migration ${newer.at(-1)}); start that version instead.`,
    );
  const isWhole = applied.every((name, index) => name === names[index]);
  if (!isWhole || (applied.length > 0 && !(await exists(connection, 'installation'))))
    throw new StorageStartError(`${target} is only partly migrated; restore it from a backup.`);
  return applied.length === names.length;
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
