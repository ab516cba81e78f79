import type { Knex } from 'knex';
import { isPostgres } from './dialect.ts';
import { type ListedMigration, migrationSource } from './migration-list.ts';
import type { AppliedMigration } from './missing-migrations.ts';

/** One migration that begins. */
export interface MigrationStep {
  readonly name: string;
  /** From 1. */
  readonly number: number;
  readonly count: number;
  /** The last migration of the database before all of them; null = it had no tables. */
  readonly from: string | null;
}

export interface MigrationOptions {
  /** Why a schema that is not up to date is refused, as part of a sentence; by default it is migrated. */
  readonly refusal?: string | undefined;
  /** Another process migrates the database, and this one waits for it, so long at most. */
  readonly waiting?: (seconds: number) => void;
  /** By default a minute. */
  readonly waitSeconds?: number;
  readonly began?: (step: MigrationStep) => void;
  /** Indexes are written that a load has left out which did not come to its end. */
  readonly indexing?: () => void;
}

/** What `applyMigrations` of an adapter did. */
export interface Migrated {
  /** The last migration of the database before; null = it had no tables. */
  readonly from: string | null;
  readonly to: string;
  readonly count: number;
}

/** Its messages are those of the error that it throws. */
const SILENT: Knex.Logger = { warn() {}, error() {}, deprecate() {}, debug() {} };

/**
 * Applies migrations. Loads knex, which takes 150 ms.
 *
 * Those of a new database or a file are one transaction. Those of a PostgreSQL database that cores use have one each: with all
 * their locks until the end, a reader of two tables would deadlock with them, and writers would wait for all of them.
 * @param list all of this version; the first of them are applied
 * @param isLocked an earlier process was killed while it migrated, and its lock of knex remains
 */
export async function runMigrations(
  config: Knex.Config,
  list: readonly ListedMigration[],
  applied: readonly AppliedMigration[],
  { isLocked, began }: { readonly isLocked: boolean; readonly began?: MigrationOptions['began'] },
): Promise<void> {
  const { default: knex } = await import('knex');
  const database = knex({ ...config, log: SILENT });
  const count = list.length - applied.length;
  const from = applied.at(-1)?.name ?? null;
  const isShared = from !== null && isPostgres(database);
  const reported = list.map(({ name, migration, oldest: version }, index) => ({
    name,
    migration: {
      ...migration,
      async up(transaction: Knex) {
        const number = index - applied.length + 1;
        began?.({ name, number, count, from });
        // First what writers lock first: those that hold tables would wait for this one, and this one for them. The table,
        // not its row: a writer that waits for the row has a lock of the table, which a migration of this table waits for.
        if (isShared) await transaction.raw('LOCK TABLE installation IN EXCLUSIVE MODE');
        await migration.up(transaction);
        if (version !== undefined)
          await transaction('knex_migrations_oldest').insert({ migration: name, version });
      },
    },
  }));
  const source = { migrationSource: migrationSource(reported) };
  try {
    if (isLocked) await database.migrate.forceFreeMigrationsLock(source);
    if (!isShared) await database.migrate.latest(source);
    else for (let left = count; left > 0; left--) await database.migrate.up(source);
  } finally {
    await database.destroy();
  }
}

export function migrated(
  applied: readonly AppliedMigration[],
  missing: readonly ListedMigration[],
): Migrated {
  const from = applied.at(-1)?.name ?? null;
  return { from, to: missing.at(-1)?.name ?? from ?? '', count: missing.length };
}
