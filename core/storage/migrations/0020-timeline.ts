import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** Which history of commits the epoch belongs to; null = not known yet, always so on SQLite. */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, ['ALTER TABLE installation ADD COLUMN timeline TEXT']);
}
