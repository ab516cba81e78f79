import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * `project.asset_folders`: the tree of folders as JSON, `folders_changed` when it last changed (null: never).
 * `asset.folder`: id of its folder, null = top level. `asset_listing`: what listings of assets walk.
 * `webhook.triggers`: JSON in the shape of the registration.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `ALTER TABLE project ADD COLUMN asset_folders TEXT NOT NULL DEFAULT '[]'`,
    'ALTER TABLE project ADD COLUMN folders_changed TEXT',
    'ALTER TABLE asset ADD COLUMN folder TEXT',
    'CREATE INDEX asset_listing ON asset (project, number)',
    `CREATE TABLE webhook (
      id TEXT PRIMARY KEY, project INTEGER NOT NULL REFERENCES project (number), name TEXT NOT NULL,
      url TEXT NOT NULL, secret TEXT NOT NULL, triggers TEXT NOT NULL, enabled INTEGER NOT NULL DEFAULT 1,
      created TEXT NOT NULL, last_modified TEXT NOT NULL)`,
    'CREATE INDEX webhook_project ON webhook (project, created, id)',
  ]);
}
