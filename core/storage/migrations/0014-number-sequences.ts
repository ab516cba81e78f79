import type { Knex } from 'knex';

/** The tables whose rows are numbered at this migration, and fields, which have no table. */
const NUMBERED = [
  'project',
  'language',
  'content_type',
  'snippet',
  'taxonomy',
  'item',
  'variant',
  'version',
  'asset',
  'document',
  'webhook_lane',
  'webhook_notification',
  'mail',
  'field',
];

/** On PostgreSQL, row numbers come from sequences, which several processes share and which never return a number twice. */
export async function up(knex: Knex): Promise<void> {
  for (const name of NUMBERED) await knex.raw(`CREATE SEQUENCE number_of_${name}`);
}
