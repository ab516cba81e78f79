import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * The sequence of a change of a type that changed nothing but codenames and names of its elements, as long as no other change
 * of it is pending: `sequence` is the same then. Cores of the version before write `sequence` alone.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, ['ALTER TABLE pending ADD COLUMN names_sequence BIGINT']);
}
