import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** Bits of all possible kinds. */
const EVERY_KIND = 2 ** 30 - 1;

/**
 * Events for webhooks, and the queue of each webhook (a "lane" in the names of tables).
 *
 * `webhook_event`: a change of published content, written in the transaction of the change; number =
 * sequence × 1000 + position in the transaction. `kind` is a bit (webhooks/event-kinds.ts), so that a queue finds its
 * next event by its mask. `items`: JSON of the affected items; null where they are many and in `webhook_affected`.
 * `webhook_lane`: one queue for each webhook; that of a deleted webhook stays until its rows are removed.
 * `webhook_progress`: the state of a queue; the notification at `cursor`, `part` and all before it are settled.
 * `webhook_notification`: a row from its first attempt on; later ones of the queue are still events.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    'ALTER TABLE webhook ADD COLUMN previous_secret TEXT',
    'ALTER TABLE webhook ADD COLUMN previous_until TEXT',
    `CREATE TABLE webhook_event (
      project INTEGER NOT NULL, number BIGINT NOT NULL, kind INTEGER NOT NULL, count INTEGER NOT NULL,
      id TEXT NOT NULL, created TEXT NOT NULL, taxonomies TEXT NOT NULL, items TEXT,
      PRIMARY KEY (project, number)) WITHOUT ROWID`,
    `CREATE TABLE webhook_affected (
      event BIGINT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, codename TEXT NOT NULL,
      language TEXT NOT NULL, type TEXT NOT NULL, PRIMARY KEY (event, place)) WITHOUT ROWID`,
    `CREATE TABLE webhook_lane (
      number INTEGER PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number),
      webhook TEXT NOT NULL UNIQUE, mask INTEGER NOT NULL, mailed TEXT, mailed_at TEXT)`,
    'CREATE INDEX webhook_lane_project ON webhook_lane (project)',
    `CREATE TABLE webhook_progress (
      lane INTEGER PRIMARY KEY REFERENCES webhook_lane (number), cursor BIGINT NOT NULL, part INTEGER NOT NULL,
      head BIGINT, next_due TEXT, failing_since TEXT, dead_since TEXT, owner TEXT, leased_until TEXT)`,
    `CREATE TABLE webhook_notification (
      number BIGINT PRIMARY KEY, lane INTEGER NOT NULL, state INTEGER NOT NULL, id TEXT NOT NULL,
      event BIGINT, part INTEGER NOT NULL, kind INTEGER NOT NULL, created TEXT NOT NULL,
      first_attempt TEXT, attempts INTEGER NOT NULL, note TEXT, body TEXT)`,
    'CREATE INDEX webhook_notification_log ON webhook_notification (lane, state, number)',
    'CREATE INDEX webhook_notification_id ON webhook_notification (id)',
    `CREATE TABLE webhook_attempt (
      notification BIGINT NOT NULL, ordinal INTEGER NOT NULL, at TEXT NOT NULL, duration_ms INTEGER NOT NULL,
      status INTEGER, manual INTEGER NOT NULL DEFAULT 0, error TEXT, answer TEXT,
      PRIMARY KEY (notification, ordinal)) WITHOUT ROWID`,
    // Existing webhooks get events after this migration; reading omits kinds that they did not choose.
    `INSERT INTO webhook_lane (number, project, webhook, mask)
     SELECT row_number() OVER (ORDER BY created, id), project, id, ${EVERY_KIND} FROM webhook`,
    `INSERT INTO webhook_progress (lane, cursor, part)
     SELECT l.number, i.sequence * 1000 + 999, 0 FROM webhook_lane l CROSS JOIN installation i`,
  ]);
}
