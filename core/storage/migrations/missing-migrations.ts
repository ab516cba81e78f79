import { StorageStartError } from '../start-error.ts';
import type { ListedMigration } from './migration-list.ts';

/**
 * @param applied names of the migrations of the database, in their order
 * @param list the migrations of this version
 * @param target the database, as messages name it
 * @throws StorageStartError for the schema of a newer version, or one that lacks a migration in between
 */
export function missingMigrations(
  applied: readonly string[],
  list: readonly ListedMigration[],
  target: string,
): readonly ListedMigration[] {
  const names = list.map(({ name }) => name);
  const newer = applied.filter((name) => !names.includes(name)).at(-1);
  if (newer !== undefined)
    throw new StorageStartError(
      `${target} was written by a newer version (it has migration ${newer}); start that version instead.`,
    );
  if (!applied.every((name, index) => name === names[index]))
    throw new StorageStartError(`${target} is only partly migrated; restore it from a backup.`);
  return list.slice(applied.length);
}

/** A database that must not be migrated now. */
export function outdatedSchema(applied: readonly string[], target: string): StorageStartError {
  const state = applied.length === 0 ? 'has no tables yet' : `has the older schema ${applied.at(-1)}`;
  return new StorageStartError(
    `${target} ${state}, and the setting migrations is 'command': run 'headwater migrate' with these settings first.`,
  );
}
