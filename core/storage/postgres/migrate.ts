import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from '../../../config/start-error.ts';
import { REGISTERED_MS } from '../core-registry.ts';
import { type ListedMigration, migrationsOf } from '../migrations/migration-list.ts';
import {
  type AppliedMigration,
  missingMigrations,
  outdatedSchema,
  readApplied,
  refuseForRunning,
} from '../migrations/missing-migrations.ts';
import {
  type Migrated,
  type MigrationOptions,
  migrated,
  runMigrations,
} from '../migrations/run-migrations.ts';
import type { PostgresConnection } from './connection.ts';

/** "HDWR": key of the lock that a process holds while it migrates. */
const LOCK = 0x48445752;
const WAIT_SECONDS = 60;
const TRY_AGAIN_MS = 250;
/** A migration that waits for the lock of a table holds up other processes, so it gives up after `lock_timeout`. */
const SESSION = `SET lock_timeout = '10s'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0`;

export interface SchemaToMigrate extends Pick<MigrationOptions, 'began'> {
  /** Only these migrations. */
  readonly upTo?: readonly string[];
}

/**
 * Applies missing migrations. Of several processes one does it, while the others wait.
 * @throws StartError for a database of another application, a newer or an incomplete schema, and after the longest wait
 */
export async function applyMigrations(
  connection: PostgresConnection,
  target: string,
  options: MigrationOptions = {},
): Promise<Migrated> {
  const { refusal, began } = options;
  const list = migrationsOf('postgres');
  const read = async () => {
    const applied = await appliedMigrations(connection, target, list);
    return { applied, missing: missingMigrations(applied, list, target) };
  };
  // What another process is about to make can look like tables of another application.
  const before = await read().catch(() => undefined);
  if (before?.missing.length === 0) return migrated(before.applied, before.missing);
  await lockMigrations(connection, target, options);
  try {
    const { applied, missing } = await read();
    if (missing.length === 0) return migrated(applied, missing);
    if (refusal !== undefined) throw outdatedSchema(applied, target, refusal);
    await refuseRunning(connection, missing, target, options);
    return await migrateSchema(connection, target, began && { began });
  } finally {
    await connection.run('SELECT pg_advisory_unlock(?)', [LOCK]);
  }
}

/** The same without a lock. */
export async function migrateSchema(
  connection: PostgresConnection,
  target: string,
  { upTo, began }: SchemaToMigrate = {},
): Promise<Migrated> {
  const all = migrationsOf('postgres');
  if (upTo)
    missingMigrations(
      upTo.map((name) => ({ name, oldest: null })),
      all,
      target,
    );
  const list = upTo ? all.filter(({ name }) => upTo.includes(name)) : all;
  const applied = await appliedMigrations(connection, target, list);
  const missing = missingMigrations(applied, list, target);
  if (missing.length > 0)
    await runMigrations(
      {
        client: 'pg',
        connection: { connectionString: await connection.url() },
        pool: {
          min: 0,
          max: 1,
          afterCreate: (
            session: { query(text: string, done: (error?: Error) => void): void },
            done: (error?: Error, session?: unknown) => void,
          ) => session.query(SESSION, (error) => done(error, session)),
        },
      },
      list,
      applied,
      { isLocked: await exists(connection, 'knex_migrations_lock'), ...(began && { began }) },
    );
  return migrated(applied, missing);
}

/** A core that was killed counts as running for a moment. */
async function refuseRunning(
  connection: PostgresConnection,
  missing: readonly ListedMigration[],
  target: string,
  { waitSeconds = WAIT_SECONDS }: MigrationOptions,
): Promise<void> {
  if (!(await exists(connection, 'running_core'))) return;
  const wait = Math.min(REGISTERED_MS, waitSeconds * 1000);
  for (const deadline = performance.now() + wait; ; await pause(TRY_AGAIN_MS)) {
    // The table may lack the column.
    const running = await connection.all<{ version: string | null }>(
      `SELECT to_jsonb(r) ->> 'version' AS version FROM running_core r
       WHERE state <> '' AND updated > clock_timestamp() - interval '${REGISTERED_MS} milliseconds'`,
    );
    try {
      return refuseForRunning(
        running.map(({ version }) => version),
        missing,
        target,
      );
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}

async function lockMigrations(
  connection: PostgresConnection,
  target: string,
  { waiting, waitSeconds = WAIT_SECONDS }: MigrationOptions,
): Promise<void> {
  const isLocked = async () =>
    (await connection.get<{ locked: number }>('SELECT pg_try_advisory_lock(?) AS locked', [LOCK]))?.locked ===
    1;
  if (await isLocked()) return;
  waiting?.(waitSeconds);
  const deadline = performance.now() + waitSeconds * 1000;
  while (performance.now() < deadline) {
    await pause(TRY_AGAIN_MS);
    if (await isLocked()) return;
  }
  throw new StartError(
    `${target} has been migrated by another process for ${waitSeconds} s; start again when that has ended.`,
  );
}

/**
 * In their order.
 * @throws StartError for a database of another application, or one that lacks its tables
 */
export async function appliedMigrations(
  connection: PostgresConnection,
  target: string,
  list: readonly ListedMigration[],
): Promise<AppliedMigration[]> {
  const applied = await readApplied(connection, exists);
  const names = applied.map(({ name }) => name);
  const isOurs = names.length === 0 || names.some((name) => list.some((one) => one.name === name));
  const hasTables = await connection.get(
    `SELECT 1 AS found FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND relname NOT LIKE 'knex_migrations%' LIMIT 1`,
  );
  if (!isOurs || (names.length === 0 && hasTables))
    throw new StartError(`${target} has tables of another application; create an empty database.`);
  if (names.length > 0 && !(await exists(connection, 'installation')))
    throw new StartError(`${target} is only partly migrated; restore it from a backup.`);
  return applied;
}

/**
 * For work that needs every table and column.
 * @throws StartError for a newer schema, also for one that this version can use
 */
export async function refuseNewerSchema(connection: PostgresConnection): Promise<void> {
  const names = new Set(migrationsOf('postgres').map(({ name }) => name));
  const newer = (await readApplied(connection, exists)).findLast(({ name }) => !names.has(name));
  if (newer !== undefined)
    throw new StartError(
      `The database has the schema of a newer version (migration ${newer.name}): use that version to copy or to replace all data.`,
    );
}

async function exists(connection: PostgresConnection, table: string): Promise<boolean> {
  const row = await connection.get<{ found: string | null }>('SELECT to_regclass(?)::text AS found', [table]);
  return row?.found != null;
}
