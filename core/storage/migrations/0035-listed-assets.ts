import type { Knex } from 'knex';
import { isPostgres, runSchema } from './dialect.ts';

/**
 * The list of assets for people who edit. It is made from assets, files and uses, so copies lack it; its words are in
 * `full_text`, under the numbers of the assets.
 *
 * `listed_asset`: `kind` is a position in ASSET_KINDS; `folder` is empty at the top level; `described` has one character for
 * each language by ordinal, `1` = it has a description; `used`: a document refers to it; `name` is folded for sorting.
 * `unlisted_asset`: assets whose rows are out of date. Triggers add them, also for cores of the version before; a transaction
 * that lists its assets removes them, and a job the rest.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE listed_asset (
      number INTEGER PRIMARY KEY, project INTEGER NOT NULL, kind INTEGER NOT NULL, folder TEXT NOT NULL,
      described TEXT NOT NULL, used INTEGER NOT NULL, name TEXT NOT NULL, size BIGINT NOT NULL, changed TEXT NOT NULL)`,
    // Every filter without words reads one of these alone.
    ...['number', 'name, number', 'changed, number', 'size, number'].map(
      (columns) =>
        `CREATE INDEX listed_asset_${columns.split(',')[0]} ON listed_asset (project, ${columns}, kind, folder, described, used)`,
    ),
    'CREATE TABLE unlisted_asset (asset INTEGER PRIMARY KEY, project INTEGER NOT NULL)',
    ...(isPostgres(knex) ? POSTGRES : SQLITE),
    'INSERT INTO unlisted_asset (asset, project) SELECT number, project FROM asset WHERE file IS NOT NULL',
  ]);
}

/** A move to another folder changes nothing else of the row. */
const MOVE = `UPDATE listed_asset SET folder = coalesce(NEW.folder, '') WHERE number = NEW.number`;
const LISTED = 'title, file, descriptions, last_modified, archived';
const EVENTS = [
  ['insert', 'INSERT'],
  ['update', `UPDATE OF ${LISTED}`],
] as const;

const SQLITE = [
  ...EVENTS.map(
    ([
      name,
      event,
    ]) => `CREATE TRIGGER unlisted_asset_${name} AFTER ${event} ON asset WHEN NEW.file IS NOT NULL BEGIN
      INSERT OR IGNORE INTO unlisted_asset (asset, project) VALUES (NEW.number, NEW.project); END`,
  ),
  `CREATE TRIGGER listed_asset_folder AFTER UPDATE OF folder ON asset BEGIN ${MOVE}; END`,
];

const POSTGRES = [
  ...['listed_asset', 'unlisted_asset'].map(
    (table) => `ALTER TABLE ${table} SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05)`,
  ),
  `CREATE FUNCTION unlist_asset() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO unlisted_asset (asset, project) VALUES (NEW.number, NEW.project) ON CONFLICT DO NOTHING;
    RETURN NULL; END $$`,
  `CREATE FUNCTION move_listed_asset() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${MOVE}; RETURN NULL; END $$`,
  ...EVENTS.map(
    ([name, event]) => `CREATE TRIGGER unlisted_asset_${name} AFTER ${event} ON asset
      FOR EACH ROW WHEN (NEW.file IS NOT NULL) EXECUTE FUNCTION unlist_asset()`,
  ),
  `CREATE TRIGGER listed_asset_folder AFTER UPDATE OF folder ON asset
    FOR EACH ROW EXECUTE FUNCTION move_listed_asset()`,
];
