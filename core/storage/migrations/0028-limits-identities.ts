import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `role.limits`: permissions that are only for some content, as JSON: codenames of types and languages by permission; null =
 * all. `identity`: which user a subject of an OpenID provider is.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `ALTER TABLE role ADD COLUMN limits TEXT NOT NULL DEFAULT '{}'`,
    `CREATE TABLE identity (
      issuer TEXT NOT NULL, subject TEXT NOT NULL, account TEXT NOT NULL REFERENCES person (account),
      created TEXT NOT NULL, PRIMARY KEY (issuer, subject))`,
    'CREATE INDEX identity_account ON identity (account)',
  ]);
}
