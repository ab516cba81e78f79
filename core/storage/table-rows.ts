import type { Row, Sql, SqlValue } from './sql.ts';

export interface DataTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
}

export interface TableDigest {
  readonly table: string;
  readonly rows: number;
  /** SHA-256, hex: equal on every database for equal rows. */
  readonly digest: string;
}

const FIRST_ROWS = 100;
const MOST_ROWS = 1000;
/** Characters of a page, about. */
const PAGE = 2_000_000;

/**
 * All rows of a table in the order of its key, in pages of some megabytes.
 * @param picks what is selected of each row
 */
export async function* pagesOf(
  sql: Pick<Sql, 'all'>,
  { name, key }: DataTable,
  picks: readonly string[],
): AsyncGenerator<readonly (readonly SqlValue[])[]> {
  const selected = [...picks, ...key].map((pick, index) => `${pick} AS c${index}`).join(', ');
  const start = `SELECT ${selected} FROM ${name}`;
  const after = `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  const end = `ORDER BY ${key.join(', ')} LIMIT ?`;
  const read = (last: readonly SqlValue[], limit: number): Promise<Row[]> =>
    sql.all<Row>(last.length > 0 ? `${start} ${after} ${end}` : `${start} ${end}`, [...last, limit]);
  let limit = FIRST_ROWS;
  let next: Promise<Row[]> | undefined = read([], limit);
  try {
    while (next !== undefined) {
      const rows: SqlValue[][] = (await next).map((row) => Object.values(row));
      next = undefined;
      const final = rows.at(-1);
      if (final === undefined) return;
      if (rows.length === limit) {
        limit = Math.max(1, Math.min(MOST_ROWS, Math.floor((PAGE * rows.length) / charactersOf(rows))));
        // The database reads it while the caller works on this page.
        next = read(final.slice(picks.length), limit);
      }
      yield rows.map((row) => row.slice(0, picks.length));
    }
  } finally {
    await next?.catch(() => {});
  }
}

function charactersOf(rows: readonly (readonly SqlValue[])[]): number {
  let characters = 1;
  for (const row of rows) for (const value of row) characters += typeof value === 'string' ? value.length : 8;
  return characters;
}
