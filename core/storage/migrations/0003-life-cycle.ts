import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `variant.schedule`: job of the schedule that the variant is in; variants of one schedule are published together.
 * `audit`: administrative acts. `change_object`: the history of one object, newest first.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    'ALTER TABLE variant ADD COLUMN schedule TEXT',
    'CREATE INDEX variant_schedule ON variant (schedule) WHERE schedule IS NOT NULL',
    'CREATE INDEX change_object ON change (object, sequence)',
    // number counts the acts; origin is the address the act came from, null = this machine's command line.
    `CREATE TABLE audit (
      number INTEGER PRIMARY KEY, project TEXT, act TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL,
      actor TEXT NOT NULL, origin TEXT, request TEXT, at TEXT NOT NULL)`,
    'CREATE INDEX audit_project ON audit (project, number)',
  ]);
}
