import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** `usage_source`: the number of the last counted batch of each gateway process, and the day (UTC) of it. */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    'CREATE TABLE usage_source (id TEXT NOT NULL PRIMARY KEY, number BIGINT NOT NULL, day TEXT NOT NULL)',
  ]);
}
