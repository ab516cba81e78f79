import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** The history of a variant: its versions in their order, found without reading their values. */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    'CREATE INDEX version_order ON version (variant, sequence)',
    'DROP INDEX IF EXISTS version_variant',
  ]);
}
