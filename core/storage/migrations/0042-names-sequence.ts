import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * The sequence of the newest change of codenames or names of elements alone, after which documents get them without another
 * number: what was read before has the former ones.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, ['ALTER TABLE project ADD COLUMN names_sequence BIGINT NOT NULL DEFAULT 0']);
}
