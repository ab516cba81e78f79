import type { Knex } from 'knex';
import { isPostgres, runSchema } from './dialect.ts';

/**
 * Lists of items for people who edit, and full text. All of it is made from items, variants and versions, so copies lack it.
 *
 * `listed`: an item in an active language; `number` is made of both (`listedNumber`). `state` is a position in VARIANT_STATES; `name` is folded for sorting; `searched`
 * names what the words in `full_text`, under the same number, were made of; `lacking`: a required element is empty.
 * `unlisted`: items whose rows are out of date. Triggers add them, also for cores of the version before; a transaction that
 * lists its items removes them, and a job the rest.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE listed (
      number INTEGER PRIMARY KEY, item INTEGER NOT NULL, language INTEGER NOT NULL, type INTEGER NOT NULL, state INTEGER NOT NULL,
      name TEXT NOT NULL, changed TEXT NOT NULL, author TEXT, lacking INTEGER NOT NULL DEFAULT 0, searched TEXT)`,
    'CREATE INDEX listed_item ON listed (item)',
    // Every filter of a type or a state reads one of these two alone.
    'CREATE INDEX listed_name ON listed (language, name, number, type, state)',
    'CREATE INDEX listed_changed ON listed (language, changed, number, type, state)',
    `CREATE TABLE listed_count (
      language INTEGER NOT NULL, type INTEGER NOT NULL, state INTEGER NOT NULL, count BIGINT NOT NULL,
      PRIMARY KEY (language, type, state)) WITHOUT ROWID`,
    'CREATE TABLE unlisted (item INTEGER PRIMARY KEY, project INTEGER NOT NULL)',
    ...(isPostgres(knex) ? POSTGRES : SQLITE),
    'INSERT INTO unlisted (item, project) SELECT number, project FROM item WHERE type IS NOT NULL',
  ]);
}

const MARK_VARIANT = `INSERT OR IGNORE INTO unlisted (item, project)
  SELECT number, project FROM item WHERE number = NEW.item`;

// The words come folded and separated by spaces, so the tokenizer only divides them.
const SQLITE = [
  `CREATE VIRTUAL TABLE full_text USING fts5 (
    name, words, content = '', contentless_delete = 1, tokenize = 'ascii')`,
  ...['INSERT', 'UPDATE'].flatMap((event) => [
    `CREATE TRIGGER unlisted_item_${event} AFTER ${event} ON item BEGIN
      INSERT OR IGNORE INTO unlisted (item, project) VALUES (NEW.number, NEW.project); END`,
    `CREATE TRIGGER unlisted_variant_${event} AFTER ${event} ON variant BEGIN ${MARK_VARIANT}; END`,
  ]),
];

const POSTGRES = [
  'CREATE TABLE full_text (number BIGINT PRIMARY KEY, name tsvector NOT NULL, words tsvector NOT NULL)',
  // Rows without their words are read for each match; words are read only to check phrases.
  'ALTER TABLE full_text ALTER COLUMN words SET STORAGE EXTERNAL, ALTER COLUMN name SET STORAGE MAIN',
  'ALTER TABLE full_text SET (toast_tuple_target = 128, autovacuum_vacuum_scale_factor = 0.02)',
  // Matches are collected before they are sorted into the index; each search reads those that are not sorted yet.
  'CREATE INDEX full_text_name ON full_text USING gin (name) WITH (gin_pending_list_limit = 512)',
  'CREATE INDEX full_text_words ON full_text USING gin (words) WITH (gin_pending_list_limit = 512)',
  `ALTER TABLE listed SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05)`,
  ...['listed_count', 'unlisted'].map(
    (table) => `ALTER TABLE ${table} SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 500, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 500)`,
  ),
  `CREATE FUNCTION unlist_items() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO unlisted (item, project) SELECT number, project FROM changed ON CONFLICT DO NOTHING; RETURN NULL; END $$`,
  `CREATE FUNCTION unlist_variants() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO unlisted (item, project) SELECT i.number, i.project FROM changed c JOIN item i ON i.number = c.item
    ON CONFLICT DO NOTHING; RETURN NULL; END $$`,
  ...['INSERT', 'UPDATE'].flatMap((event) => [
    `CREATE TRIGGER unlisted_item_${event} AFTER ${event} ON item REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION unlist_items()`,
    `CREATE TRIGGER unlisted_variant_${event} AFTER ${event} ON variant REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION unlist_variants()`,
  ]),
];
