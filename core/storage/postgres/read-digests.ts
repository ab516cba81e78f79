import { comparedTables, TableDigests } from '../table-digests.ts';
import type { TableDigest } from '../table-rows.ts';
import type { PostgresConnection } from './connection.ts';
import { dataTables } from './data-tables.ts';

/** Digests of all tables over one snapshot: the server sends their rows in the order of their keys, by COPY. */
export async function readDigests(
  connection: PostgresConnection,
  progress?: (rows: number) => void,
): Promise<readonly TableDigest[]> {
  // Walks the index of the key; what is sorted by the server may not fit into its memory.
  await connection.execute(
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_sort = off; SET LOCAL statement_timeout = 0',
  );
  try {
    const digests = new TableDigests(progress);
    for (const { name, columns, key } of comparedTables(await dataTables(connection))) {
      const add = digests.begin(name);
      const rows = `SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`;
      await connection.copyTo(`COPY (${rows}) TO STDOUT`, add);
      add();
    }
    return digests.all();
  } finally {
    await connection.execute('ROLLBACK').catch(() => {});
  }
}
