import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `presence`: which variant a person has open at the console; valid for some seconds after `seen`. An index for the jobs that
 * changed lately.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE presence (
      tab TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES account (id), project TEXT NOT NULL, item TEXT NOT NULL,
      language TEXT NOT NULL, element TEXT, seen TEXT NOT NULL)`,
    'CREATE INDEX presence_seen ON presence (seen)',
    'CREATE INDEX job_updated ON job (updated)',
  ]);
}
