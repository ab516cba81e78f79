import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `bucket_claim`: a random id that the bucket of the asset files names as its installation. Null until a bucket is used; a
 * restore does not change it.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, ['ALTER TABLE installation ADD COLUMN bucket_claim TEXT']);
}
