import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * Jobs are kept, and each act of the console is one. `job_listing`: the order of the list, with the columns that it is filtered
 * by. `job_kind`: the same for one kind and project.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE INDEX job_listing ON job (
      (CASE state WHEN 'running' THEN 0 WHEN 'waiting' THEN 1 ELSE 2 END), created DESC, id, kind, state, project)`,
    `CREATE INDEX job_kind ON job (
      kind, project, (CASE state WHEN 'running' THEN 0 WHEN 'waiting' THEN 1 ELSE 2 END), created DESC, id)`,
  ]);
}
