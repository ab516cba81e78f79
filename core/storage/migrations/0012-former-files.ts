import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `former_file`: files that an asset showed before it got another one. `gone`: the asset was deleted since, and the file
 * with it; restoring the asset with other content does not restore this file.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE former_file (
      file TEXT NOT NULL, asset INTEGER NOT NULL REFERENCES asset (number), gone INTEGER NOT NULL,
      PRIMARY KEY (file, asset))`,
    'CREATE INDEX former_file_asset ON former_file (asset)',
  ]);
}
