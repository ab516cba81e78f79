import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** Items of a block. */
const BLOCK = 2048;

/**
 * `resolved_block`: how many items a view shows from a codename up to the next block; type 0 = of all types. The first block
 * begins with an empty codename. A page after a million items is found by these counts.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE resolved_block (
      view INTEGER NOT NULL, type INTEGER NOT NULL, codename TEXT NOT NULL, count BIGINT NOT NULL,
      PRIMARY KEY (view, type, codename)) WITHOUT ROWID`,
    fill('0', 'view', 't.view = r.view'),
    fill('type', 'view, type', 't.view = r.view AND t.type = r.type'),
  ]);
}

export async function down(): Promise<void> {
  throw new Error('Migrations cannot be undone; restore a backup instead.');
}

function fill(type: string, partition: string, counted: string): string {
  return `INSERT INTO resolved_block (view, type, codename, count)
    SELECT view, ${type}, CASE WHEN place = 1 THEN '' ELSE codename END,
      coalesce(lead(place) OVER (PARTITION BY ${partition} ORDER BY place),
        1 + (SELECT sum(t.count) FROM tally t WHERE ${counted})) - place
    FROM (SELECT view, type, codename, row_number() OVER (PARTITION BY ${partition} ORDER BY codename) AS place
      FROM resolved) r
    WHERE place % ${BLOCK} = 1`;
}
