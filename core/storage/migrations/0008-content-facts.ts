import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `content_facts`: facts about stored bytes, by their hash. `format` null: not an image that can be transformed. Older
 * content has no row until its first request. `asset_file`: the assets that show a file.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE content_facts (
      hash TEXT PRIMARY KEY, sniffed TEXT, format TEXT, width BIGINT NOT NULL, height BIGINT NOT NULL,
      orientation INTEGER NOT NULL, frames INTEGER NOT NULL, alpha INTEGER NOT NULL)`,
    'CREATE INDEX asset_file ON asset (file) WHERE file IS NOT NULL',
  ]);
}
