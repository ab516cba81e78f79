import { createHash } from 'node:crypto';
import { COLUMNS_OF_RESTORE, EMPTIED_BY_RESTORE } from './restored-data.ts';
import type { Sql } from './sql.ts';
import { type DataTable, pagesOf, type TableDigest } from './table-rows.ts';

/** Digests of the rows of tables, without the columns that a restore sets and the tables that it empties. */
export async function digestsOf(
  sql: Pick<Sql, 'all'>,
  tables: readonly DataTable[],
  progress: (rows: number) => void = () => {},
): Promise<readonly TableDigest[]> {
  const digests: TableDigest[] = [];
  let total = 0;
  const compared = tables.filter(({ name }) => !EMPTIED_BY_RESTORE.includes(name));
  for (const table of compared.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const hash = createHash('sha256');
    const columns = table.columns
      .filter((column) => !COLUMNS_OF_RESTORE[table.name]?.includes(column))
      .sort();
    let rows = 0;
    // The length in front of each value shows where it ends. The database writes the text of a row, beside the main thread.
    const values = columns.map(
      (column) => `coalesce(length(CAST(${column} AS TEXT)) || ':' || ${column}, 'null') || ','`,
    );
    for await (const page of pagesOf(sql, table, [values.join(' || ')])) {
      for (const [row] of page) hash.update(`${row}\n`);
      rows += page.length;
      total += page.length;
      progress(total);
    }
    digests.push({ table: table.name, rows, digest: hash.digest('hex') });
  }
  return digests;
}
