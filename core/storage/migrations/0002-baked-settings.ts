import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `baked`: the settings that are part of compiled documents, so that a start with other settings is noticed. Null: not
 * stored yet; the documents were compiled with the current settings.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, ['ALTER TABLE installation ADD COLUMN baked TEXT']);
}
