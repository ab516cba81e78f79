import type { Knex } from 'knex';

/**
 * `content_facts`: what stored bytes are, by their hash. `format` null: no picture that can be transformed.
 * Content that came before this has no row until somebody asks for it. `asset_file`: who shows a file.
 */
export async function up(knex: Knex): Promise<void> {
  for (const statement of [
    `CREATE TABLE content_facts (
      hash TEXT PRIMARY KEY, sniffed TEXT, format TEXT, width BIGINT NOT NULL, height BIGINT NOT NULL,
      orientation INTEGER NOT NULL, frames INTEGER NOT NULL, alpha INTEGER NOT NULL)`,
    'CREATE INDEX asset_file ON asset (file) WHERE file IS NOT NULL',
  ])
    await knex.raw(statement);
}

export async function down(): Promise<void> {
  throw new Error('Migrations cannot be undone; restore a backup instead.');
}
