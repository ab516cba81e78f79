import { open } from 'node:fs/promises';
import { flushToDisk } from '../flush-to-disk.ts';
import { migrateSqlite } from '../sqlite/open-sqlite.ts';
import { withCopy } from '../sqlite/replace-data.ts';
import type { DataTable } from '../table-rows.ts';
import type { PostgresConnection } from './connection.ts';
import { dataTables } from './data-tables.ts';
import { refuseNewerSchema } from './migrate.ts';

/** Rows that are read at once. */
const ROWS = 1000;
/** Characters after which a batch is complete. */
const BATCH = 4_000_000;

/** Writes one state of all data into a new SQLite file, and flushes it. */
export async function writeCopy(
  connection: PostgresConnection,
  file: string,
  closing: AbortSignal,
): Promise<void> {
  await refuseNewerSchema(connection);
  // It contains secrets of webhooks.
  await (await open(file, 'wx', 0o600)).close();
  await migrateSqlite(file, {});
  await withCopy(
    file,
    closing,
    async (copy) => {
      await copy.execute('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; BEGIN');
      await connection.execute('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      try {
        const tables = await dataTables(connection);
        // Migrations write rows of their own.
        for (const { name } of [...tables].reverse()) await copy.run(`DELETE FROM ${name}`);
        for (const table of tables) {
          const insert = insertInto(table);
          for await (const rows of batchesOf(connection, table)) await copy.run(insert, [rows]);
        }
      } finally {
        await connection.execute('ROLLBACK');
      }
      await copy.execute('COMMIT');
    },
    { readOnly: false },
  );
  await flushToDisk(file);
}

function insertInto({ name, columns }: DataTable): string {
  const picks = columns.map((_, index) => `value ->> ${index}`);
  return `INSERT INTO ${name} (${columns.join(', ')}) SELECT ${picks.join(', ')} FROM json_each(?)`;
}

/** JSON arrays of rows. */
async function* batchesOf(
  connection: PostgresConnection,
  { name, columns }: DataTable,
): AsyncGenerator<string> {
  await connection.run(
    `DECLARE copied CURSOR FOR SELECT json_build_array(${columns.join(', ')})::text AS row FROM ${name}`,
  );
  for (;;) {
    const rows = await connection.all<{ row: string }>(`FETCH ${ROWS} FROM copied`);
    if (rows.length === 0) break;
    let batch: string[] = [];
    let length = 0;
    for (const { row } of rows) {
      batch.push(row);
      length += row.length;
      if (length < BATCH) continue;
      yield `[${batch.join(',')}]`;
      batch = [];
      length = 0;
    }
    if (batch.length > 0) yield `[${batch.join(',')}]`;
  }
  await connection.run('CLOSE copied');
}
