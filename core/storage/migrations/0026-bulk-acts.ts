import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `act`: an act on many objects; its job has state and progress. `act_object`: what it is about, with the states before
 * and after the act, by which it is taken back; `before` is null until it was acted on, `language` for a whole item.
 * `saved_view`: a filter of the content list with a name; `account` is its user, null = the installation.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE act (
      job TEXT PRIMARY KEY, project INTEGER NOT NULL, name TEXT NOT NULL, input TEXT NOT NULL, created TEXT NOT NULL)`,
    'CREATE INDEX act_project ON act (project, created)',
    `CREATE TABLE act_object (
      job TEXT NOT NULL, position INTEGER NOT NULL, item INTEGER NOT NULL, language INTEGER, before TEXT, after TEXT,
      PRIMARY KEY (job, position))`,
    `CREATE TABLE saved_view (
      id TEXT PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number), account TEXT, name TEXT NOT NULL,
      query TEXT NOT NULL, shared INTEGER NOT NULL DEFAULT 0, created TEXT NOT NULL)`,
    'CREATE INDEX saved_view_project ON saved_view (project)',
  ]);
}
