import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** `preview_url`: addresses of the site that shows drafts. `type` and `language` are ids, null = all of them. */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE preview_url (
      project INTEGER NOT NULL REFERENCES project (number), position INTEGER NOT NULL, type TEXT, language TEXT,
      url TEXT NOT NULL, PRIMARY KEY (project, position))`,
  ]);
}
