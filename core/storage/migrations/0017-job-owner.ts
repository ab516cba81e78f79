import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** `job.owner`: the process that runs the job, as in `webhook_progress`; null: a process of an earlier version. */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, ['ALTER TABLE job ADD COLUMN owner TEXT']);
}
