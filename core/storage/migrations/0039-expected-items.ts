import type { Knex } from 'knex';
import { isPostgres } from './dialect.ts';

/**
 * An item that is only expected has no row in lists, so its insertion adds none to `unlisted`: with 30,000 of them in one
 * element, the job took as many again to find nothing. Its creation is an update, which does.
 */
export async function up(knex: Knex): Promise<void> {
  for (const statement of isPostgres(knex) ? POSTGRES : SQLITE) await knex.raw(statement);
}

const SQLITE = [
  'DROP TRIGGER unlisted_item_INSERT',
  `CREATE TRIGGER unlisted_item_INSERT AFTER INSERT ON item WHEN NEW.type IS NOT NULL BEGIN
    INSERT OR IGNORE INTO unlisted (item, project) VALUES (NEW.number, NEW.project); END`,
];

const POSTGRES = [
  `CREATE OR REPLACE FUNCTION unlist_items() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO unlisted (item, project) SELECT number, project FROM changed WHERE type IS NOT NULL
    ON CONFLICT DO NOTHING; RETURN NULL; END $$`,
];
