import { isOlder, programVersion } from '../../../config/program-version.ts';
import { StartError } from '../../../config/start-error.ts';
import type { Sql } from '../sql.ts';
import type { ListedMigration } from './migration-list.ts';

/** A migration that a database has. */
export interface AppliedMigration {
  readonly name: string;
  /** The oldest version of the product that works with it; null = not recorded. */
  readonly oldest: string | null;
}

/** In the order in which they were applied. An older schema has no table of versions. */
export async function readApplied<Connection extends Pick<Sql, 'all'>>(
  connection: Connection,
  hasTable: (connection: Connection, name: string) => Promise<boolean>,
): Promise<AppliedMigration[]> {
  if (!(await hasTable(connection, 'knex_migrations'))) return [];
  return connection.all(
    (await hasTable(connection, 'knex_migrations_oldest'))
      ? `SELECT m.name, o.version AS oldest FROM knex_migrations m
           LEFT JOIN knex_migrations_oldest o ON o.migration = m.name ORDER BY m.id`
      : 'SELECT name, NULL AS oldest FROM knex_migrations ORDER BY id',
  );
}

/**
 * @param applied those of the database, in their order
 * @param list the migrations of this version
 * @param target the database, as messages name it
 * @throws StartError for the schema of a newer version that this one cannot use, or one that lacks a migration in
 * between
 */
export function missingMigrations(
  applied: readonly AppliedMigration[],
  list: readonly ListedMigration[],
  target: string,
): readonly ListedMigration[] {
  const version = programVersion();
  const names = new Set(list.map(({ name }) => name));
  const known = applied.filter(({ name }) => names.has(name));
  const newer = applied.filter(({ name }) => !names.has(name));
  const unusable = newer.findLast(({ oldest }) => oldest === null || isOlder(version, oldest));
  if (unusable !== undefined) {
    const { name, oldest } = unusable;
    const needs = oldest === null ? '' : `, which needs version ${oldest} or newer; this is ${version}`;
    throw new StartError(
      `${target} was written by a newer version (it has migration ${name}${needs}); start that version instead.`,
    );
  }
  const isPartial = newer.length > 0 && known.length < list.length;
  if (isPartial || !known.every(({ name }, index) => name === list[index]?.name))
    throw new StartError(`${target} is only partly migrated; restore it from a backup.`);
  return list.slice(known.length);
}

/** A database that must not be migrated now. @param refusal why not, as part of a sentence */
export function outdatedSchema(
  applied: readonly AppliedMigration[],
  target: string,
  refusal: string,
): StartError {
  const state = applied.length === 0 ? 'has no tables yet' : `has the older schema ${applied.at(-1)?.name}`;
  return new StartError(
    `${target} ${state}, and ${refusal}: run 'headwater migrate' with these settings first.`,
  );
}

/**
 * @param running versions of the cores that run on the database; null = older than 0.2.0
 * @throws StartError where one of them would not work after the migrations
 */
export function refuseForRunning(
  running: readonly (string | null)[],
  missing: readonly ListedMigration[],
  target: string,
): void {
  for (const { name, oldest } of missing) {
    if (oldest === undefined) continue;
    const old = running.find((version) => version === null || isOlder(version, oldest));
    if (old !== undefined)
      throw new StartError(
        `${target} is used by a running core of version ${old ?? 'before 0.2.0'}, and migration ${name} needs ${oldest} or newer on all of them: stop that core first.`,
      );
  }
}
