import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** `usage_count`: calls of a project by surface and day (UTC, `2026-11-20`). */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE usage_count (
      project INTEGER NOT NULL REFERENCES project (number), day TEXT NOT NULL, surface TEXT NOT NULL,
      calls INTEGER NOT NULL, PRIMARY KEY (project, day, surface))`,
  ]);
}
