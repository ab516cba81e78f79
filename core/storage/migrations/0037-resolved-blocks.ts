import type { Knex } from 'knex';
import { isPostgres, runSchema } from './dialect.ts';

/** Items of a block. */
const BLOCK = 2048;

/**
 * `resolved_block`: how many items a view shows from a codename up to the next block; type 0 = of all types. The first block
 * begins with an empty codename. A page after a million items is found by these counts.
 *
 * On PostgreSQL, cores of the version before write beside those that keep the counts. A trigger deletes the blocks of each
 * view that such a core changes, and a job counts them, as after this migration: it would hold the lock of the installation
 * for seconds of each million items.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE resolved_block (
      view INTEGER NOT NULL, type INTEGER NOT NULL, codename TEXT NOT NULL, count BIGINT NOT NULL,
      PRIMARY KEY (view, type, codename)) WITHOUT ROWID`,
    ...(isPostgres(knex) ? POSTGRES : SQLITE),
  ]);
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

const SQLITE = [
  fill('0', 'view', 't.view = r.view'),
  fill('type', 'view, type', 't.view = r.view AND t.type = r.type'),
];

const POSTGRES = [
  `ALTER TABLE resolved_block SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 500, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 500)`,
  // Until the end of the transaction, an index scan passes the blocks that it deleted. To delete 20,000 of a million items
  // takes 5.9 s where each row scans them, and 0.08 s where only the first of a view does.
  `CREATE FUNCTION forget_blocks() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE changed bigint; BEGIN
    IF TG_OP = 'DELETE' THEN changed := OLD.view; ELSE changed := NEW.view; END IF;
    IF current_setting('headwater.forgotten', true) IS DISTINCT FROM changed::text THEN
      DELETE FROM resolved_block WHERE view = changed;
      PERFORM set_config('headwater.forgotten', changed::text, true);
    END IF;
    RETURN NULL; END $$`,
  `CREATE TRIGGER forget_blocks AFTER INSERT OR UPDATE OR DELETE ON resolved FOR EACH ROW
    WHEN (current_setting('headwater.blocks', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION forget_blocks()`,
];
