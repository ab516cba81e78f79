import type { Knex } from 'knex';

/**
 * `baked`: the settings that compiled documents hold in their bytes, so that a start with other ones is
 * noticed. Null: not told yet; the documents were compiled with the current ones.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE installation ADD COLUMN baked TEXT');
}

export async function down(): Promise<void> {
  throw new Error('Migrations cannot be undone; restore a backup instead.');
}
