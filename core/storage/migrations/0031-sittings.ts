import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `version.sitting`: when the sitting began in which a person wrote the version in the console; the next version of the same
 * sitting replaces it. Null = it is kept.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, ['ALTER TABLE version ADD COLUMN sitting TEXT']);
}
