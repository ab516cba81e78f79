import type { Knex } from 'knex';

/** What listings of items walk, so that a page costs the same wherever it is and whoever else has items. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'CREATE INDEX item_listing ON item (project, number) WHERE type IS NOT NULL AND archived IS NULL',
  );
}

export async function down(): Promise<void> {
  throw new Error('Migrations cannot be undone; restore a backup instead.');
}
