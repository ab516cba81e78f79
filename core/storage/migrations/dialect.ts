import type { Knex } from 'knex';

/** Words of the schema, as migrations write them for SQLite, and what PostgreSQL has in their place. */
const POSTGRES: Readonly<Record<string, string>> = {
  INTEGER: 'BIGINT',
  // Texts sort by code point, whatever the locale of the database is.
  TEXT: 'TEXT COLLATE "C"',
  // A tree by primary key without a table beside it.
  'WITHOUT ROWID': '',
};
const WORDS = new RegExp(`\\b(?:${Object.keys(POSTGRES).join('|')})\\b`, 'g');

export function isPostgres(knex: Knex): boolean {
  return knex.client.config.client === 'pg';
}

/** Runs statements of a schema one after another, in the dialect of the database. */
export async function runSchema(knex: Knex, statements: readonly string[]): Promise<void> {
  for (const statement of statements)
    await knex.raw(isPostgres(knex) ? statement.replace(WORDS, (word) => POSTGRES[word] ?? word) : statement);
}
