import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * The first schema. In SQLite, tables that are read by primary key are one tree (`WITHOUT ROWID`).
 *
 * Write side: installation … asset. Read side: document, uses, entry, resolved, tally, pending.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, STATEMENTS);
}

const STATEMENTS = [
  `CREATE TABLE installation (
      id INTEGER PRIMARY KEY, epoch TEXT NOT NULL, sequence BIGINT NOT NULL, created TEXT NOT NULL)`,

  `CREATE TABLE project (
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
      secure_access INTEGER NOT NULL DEFAULT 0, management_api INTEGER NOT NULL DEFAULT 0,
      sitemap TEXT NOT NULL DEFAULT '[]',
      sequence BIGINT NOT NULL, model_sequence BIGINT NOT NULL,
      created TEXT NOT NULL, archived TEXT)`,

  `CREATE TABLE account (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, created TEXT NOT NULL, removed TEXT)`,
  `CREATE TABLE membership (
      account TEXT NOT NULL REFERENCES account (id), project INTEGER NOT NULL REFERENCES project (number),
      capabilities TEXT NOT NULL, PRIMARY KEY (account, project))`,

  `CREATE TABLE api_key (
      id TEXT PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number), kind TEXT NOT NULL,
      hash TEXT NOT NULL UNIQUE, tail TEXT NOT NULL, account TEXT REFERENCES account (id),
      created TEXT NOT NULL, expires TEXT, revoked TEXT, last_used TEXT)`,
  `CREATE INDEX api_key_project ON api_key (project, kind)`,

  `CREATE TABLE language (
      number INTEGER PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number), ordinal INTEGER NOT NULL,
      id TEXT NOT NULL, name TEXT NOT NULL, codename TEXT NOT NULL, external_id TEXT,
      active INTEGER NOT NULL, is_default INTEGER NOT NULL, fallback TEXT,
      UNIQUE (project, id), UNIQUE (project, ordinal), UNIQUE (project, codename))`,

  `CREATE TABLE taxonomy (
      number INTEGER PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number),
      id TEXT NOT NULL, name TEXT NOT NULL, codename TEXT NOT NULL, external_id TEXT,
      terms TEXT NOT NULL, last_modified TEXT NOT NULL, archived TEXT, UNIQUE (project, id))`,
  `CREATE TABLE snippet (
      number INTEGER PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number),
      id TEXT NOT NULL, name TEXT NOT NULL, codename TEXT NOT NULL, external_id TEXT,
      elements TEXT NOT NULL, last_modified TEXT NOT NULL, UNIQUE (project, id), UNIQUE (project, codename))`,
  // fields: JSON map of element id (and of '#name', '#last_modified', '#sitemap_locations') to field number.
  `CREATE TABLE content_type (
      number INTEGER PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number),
      id TEXT NOT NULL, name TEXT NOT NULL, codename TEXT NOT NULL, external_id TEXT,
      elements TEXT NOT NULL, content_groups TEXT NOT NULL, fields TEXT NOT NULL, last_modified TEXT NOT NULL,
      UNIQUE (project, id), UNIQUE (project, codename))`,

  // type IS NULL: referenced by external id before it exists (spec 4.4), not yet an item.
  `CREATE TABLE item (
      number INTEGER PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number),
      id TEXT NOT NULL, name TEXT, codename TEXT, external_id TEXT,
      type INTEGER REFERENCES content_type (number), sitemap_locations TEXT NOT NULL DEFAULT '[]',
      created TEXT NOT NULL, last_modified TEXT NOT NULL, archived TEXT, UNIQUE (project, id))`,
  `CREATE UNIQUE INDEX item_codename ON item (project, codename) WHERE codename IS NOT NULL`,
  `CREATE UNIQUE INDEX item_external_id ON item (project, external_id) WHERE external_id IS NOT NULL`,
  `CREATE INDEX item_type ON item (type)`,

  // draft: the version being worked on, null when the published one is the latest.
  `CREATE TABLE variant (
      number INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item (number),
      language INTEGER NOT NULL REFERENCES language (number), draft INTEGER, published INTEGER,
      scheduled_to TEXT, was_published INTEGER NOT NULL DEFAULT 0, last_modified TEXT NOT NULL, archived TEXT,
      UNIQUE (item, language))`,
  `CREATE INDEX variant_scheduled ON variant (scheduled_to) WHERE scheduled_to IS NOT NULL`,
  // elements: JSON of StoredElements. Rows are never changed; a new state is a new row.
  `CREATE TABLE version (
      number INTEGER PRIMARY KEY, variant INTEGER NOT NULL REFERENCES variant (number),
      elements TEXT NOT NULL, created TEXT NOT NULL, account TEXT, sequence BIGINT NOT NULL)`,
  `CREATE INDEX version_variant ON version (variant)`,

  // file IS NULL: referenced by external id before it exists.
  `CREATE TABLE asset (
      number INTEGER PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number),
      id TEXT NOT NULL, external_id TEXT, title TEXT, file TEXT, descriptions TEXT NOT NULL DEFAULT '{}',
      created TEXT NOT NULL, last_modified TEXT NOT NULL, archived TEXT, UNIQUE (project, id))`,
  `CREATE UNIQUE INDEX asset_external_id ON asset (project, external_id) WHERE external_id IS NOT NULL`,
  `CREATE TABLE file (
      id TEXT PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number), name TEXT NOT NULL,
      hash TEXT NOT NULL, size BIGINT NOT NULL, type TEXT NOT NULL, width INTEGER, height INTEGER,
      created TEXT NOT NULL)`,

  `CREATE TABLE change (
      sequence BIGINT NOT NULL, part INTEGER NOT NULL, project INTEGER, type TEXT NOT NULL,
      operation TEXT NOT NULL, object TEXT NOT NULL, tags TEXT NOT NULL, actor TEXT, at TEXT NOT NULL,
      PRIMARY KEY (sequence, part)) WITHOUT ROWID`,

  `CREATE TABLE job (
      id TEXT PRIMARY KEY, project INTEGER, kind TEXT NOT NULL, subject TEXT NOT NULL, state TEXT NOT NULL,
      done BIGINT NOT NULL DEFAULT 0, total BIGINT, actor TEXT, error TEXT,
      created TEXT NOT NULL, updated TEXT NOT NULL)`,
  `CREATE INDEX job_state ON job (state)`,

  // visible: bits of the channels in which this is the variant's document (CHANNEL_BIT).
  `CREATE TABLE document (
      number INTEGER PRIMARY KEY, project INTEGER NOT NULL, item INTEGER NOT NULL, language INTEGER NOT NULL,
      type INTEGER NOT NULL, version INTEGER NOT NULL, visible INTEGER NOT NULL, compiled_at BIGINT NOT NULL,
      slug TEXT NOT NULL, components TEXT NOT NULL, body TEXT NOT NULL, layout TEXT NOT NULL)`,
  `CREATE INDEX document_item ON document (item)`,
  `CREATE INDEX document_type ON document (type, number)`,

  // What a document was compiled from. kind: see USE in storage/stale.ts.
  `CREATE TABLE uses (
      document INTEGER NOT NULL, kind INTEGER NOT NULL, target INTEGER NOT NULL,
      PRIMARY KEY (document, kind, target)) WITHOUT ROWID`,
  `CREATE INDEX uses_target ON uses (kind, target, document)`,

  // One row per indexed value; listings read the second tree alone.
  `CREATE TABLE entry (
      document INTEGER NOT NULL, slot BIGINT NOT NULL, key TEXT NOT NULL, codename TEXT NOT NULL,
      visible INTEGER NOT NULL, item INTEGER NOT NULL,
      PRIMARY KEY (document, slot, key)) WITHOUT ROWID`,
  `CREATE INDEX entry_key ON entry (slot, key, codename, visible, item, document)`,

  // The document a reader of a view gets for an item, language fallback applied.
  `CREATE TABLE resolved (
      view INTEGER NOT NULL, item INTEGER NOT NULL, document INTEGER NOT NULL, type INTEGER NOT NULL,
      language INTEGER NOT NULL, codename TEXT NOT NULL, PRIMARY KEY (view, item)) WITHOUT ROWID`,
  `CREATE INDEX resolved_codename ON resolved (view, codename, type, document, language)`,
  `CREATE INDEX resolved_type ON resolved (view, type, codename, document, language)`,

  // How many items a view resolves, by type and by the language they come from.
  `CREATE TABLE tally (
      view INTEGER NOT NULL, type INTEGER NOT NULL, language INTEGER NOT NULL, count BIGINT NOT NULL,
      PRIMARY KEY (view, type, language)) WITHOUT ROWID`,

  // What made documents stale, up to which sequence; deleted once the job has recompiled them.
  `CREATE TABLE pending (
      project INTEGER NOT NULL, kind INTEGER NOT NULL, target INTEGER NOT NULL, sequence BIGINT NOT NULL,
      PRIMARY KEY (project, kind, target)) WITHOUT ROWID`,
];
