import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** The index that listings of items walk, so that the time of a page does not depend on its position or on other projects. */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    'CREATE INDEX item_listing ON item (project, number) WHERE type IS NOT NULL AND archived IS NULL',
  ]);
}
