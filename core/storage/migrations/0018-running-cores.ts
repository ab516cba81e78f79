import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** Running cores on one PostgreSQL database. Rows are replaced often, and are not part of copies. */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE running_core (
      id TEXT PRIMARY KEY, state TEXT NOT NULL, gateways TEXT NOT NULL, confirmed INTEGER NOT NULL,
      updated TIMESTAMPTZ NOT NULL)`,
    `ALTER TABLE running_core SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500)`,
  ]);
}
