import type { Knex } from 'knex';
import { isPostgres, runSchema } from './dialect.ts';

/**
 * `listed_count` has counts of each author as well; those of an empty one are of all items. No version before 0.3.0 has
 * lists, so none writes the table as it was.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    'DROP TABLE listed_count',
    `CREATE TABLE listed_count (
      language INTEGER NOT NULL, author TEXT NOT NULL, type INTEGER NOT NULL, state INTEGER NOT NULL,
      count BIGINT NOT NULL, PRIMARY KEY (language, author, type, state)) WITHOUT ROWID`,
    ...(isPostgres(knex) ? POSTGRES : []),
    count(`''`, 'true'),
    count('author', 'author IS NOT NULL'),
  ]);
}

const POSTGRES = [
  `ALTER TABLE listed_count SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 500, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 500)`,
];

function count(author: string, where: string): string {
  return `INSERT INTO listed_count (language, author, type, state, count)
    SELECT language, ${author} AS counted, type, state, count(*) FROM listed WHERE ${where}
    GROUP BY language, counted, type, state`;
}
