import type { Knex } from 'knex';

/** Compiled tables whose rows are replaced with every write. Listings read their indexes alone only where vacuum has been. */
const REPLACED = ['document', 'uses', 'entry', 'resolved'];

/**
 * Storage of the compiled tables on PostgreSQL. Rows up to a page stay in it uncompressed, as documents are read whole.
 * An index does not contain the primary key there, as it does in SQLite.
 */
export async function up(knex: Knex): Promise<void> {
  for (const column of ['body', 'components', 'layout'])
    await knex.raw(`ALTER TABLE document ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
  await knex.raw('ALTER TABLE document SET (toast_tuple_target = 8160)');
  await knex.raw('DROP INDEX resolved_codename, resolved_type');
  await knex.raw(
    'CREATE INDEX resolved_codename ON resolved (view, codename, type, document, language) INCLUDE (item)',
  );
  await knex.raw(
    'CREATE INDEX resolved_type ON resolved (view, type, codename, document, language) INCLUDE (item)',
  );
  for (const table of REPLACED)
    await knex.raw(`ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05)`);
  // Small tables that every write updates: free space keeps new versions of a row on its page, without index entries.
  for (const table of ['tally', 'pending'])
    await knex.raw(`ALTER TABLE ${table} SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 500, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 500)`);
}
