import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * The outbox, one row for each receiver; `occasion` identifies the subject of a mail, so that each address gets one mail
 * about it. `due`: next attempt; null = sent, or not retried any more if `sent` is null too.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE mail (
      number INTEGER PRIMARY KEY, occasion TEXT NOT NULL, address TEXT NOT NULL, kind TEXT NOT NULL,
      facts TEXT NOT NULL, created TEXT NOT NULL, due TEXT, attempts INTEGER NOT NULL, sent TEXT, error TEXT,
      UNIQUE (occasion, address))`,
    'CREATE INDEX mail_due ON mail (due) WHERE due IS NOT NULL',
    'CREATE INDEX api_key_expires ON api_key (expires) WHERE expires IS NOT NULL AND revoked IS NULL',
  ]);
}
