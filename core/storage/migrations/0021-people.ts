import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * Users who sign in at the console. `person`: a user with a way to sign in; `sign_in` is the mail address in lower case.
 * `session` and `sign_in_link` hold SHA-256 of their secrets.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE person (
      account TEXT PRIMARY KEY REFERENCES account (id), sign_in TEXT NOT NULL UNIQUE, password TEXT,
      operator INTEGER NOT NULL DEFAULT 0)`,
    `CREATE TABLE session (
      id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, account TEXT NOT NULL REFERENCES person (account),
      created TEXT NOT NULL, seen TEXT NOT NULL, confirmed TEXT NOT NULL, address TEXT, browser TEXT)`,
    'CREATE INDEX session_account ON session (account)',
    `CREATE TABLE sign_in_link (
      hash TEXT PRIMARY KEY, account TEXT REFERENCES person (account), created TEXT NOT NULL, expires TEXT NOT NULL)`,
  ]);
}
