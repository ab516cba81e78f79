import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `job.result`: what a job has made, as JSON: the archive of an export, the project of a clone. `change_actor`: what a person
 * changed, newest first.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    'ALTER TABLE job ADD COLUMN result TEXT',
    'CREATE INDEX change_actor ON change (actor, sequence) WHERE actor IS NOT NULL',
  ]);
}
