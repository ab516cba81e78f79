import type { Knex } from 'knex';

/**
 * The elements of a version may be packed from here on (`sqlite/packed-text.ts`); older rows stay as they are. A row of
 * `text_dictionary` is what the texts of one subject have in common; `id` is made of both, and rows never change.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'CREATE TABLE text_dictionary (id INTEGER PRIMARY KEY, subject TEXT NOT NULL, bytes BLOB NOT NULL)',
  );
  await knex.raw('CREATE INDEX text_dictionary_subject ON text_dictionary (subject)');
}

export async function down(): Promise<void> {
  throw new Error('Migrations cannot be undone; restore a backup instead.');
}
