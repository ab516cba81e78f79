import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `admin_token`: SHA-256 of the token of the admin API, the same for every core. `sample`: id of the sample project once it
 * is loaded. Null: not known yet; the next start writes it.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    'ALTER TABLE installation ADD COLUMN admin_token TEXT',
    'ALTER TABLE installation ADD COLUMN sample TEXT',
  ]);
}
