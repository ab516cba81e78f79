import type { Knex } from 'knex';
import { isPostgres, runSchema } from './dialect.ts';

/**
 * `knex_migrations_oldest`: the oldest version of the product that works on the schema with a migration. It is part of the
 * schema, not of the data, so its name begins like the other table of that kind, which copies leave out.
 * `running_core.version`: of the product; null: of the one before this migration.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    'CREATE TABLE knex_migrations_oldest (migration TEXT PRIMARY KEY, version TEXT NOT NULL)',
    ...(isPostgres(knex) ? ['ALTER TABLE running_core ADD COLUMN version TEXT'] : []),
  ]);
}
