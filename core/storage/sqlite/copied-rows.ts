import { nextPiece } from '../../turns/in-pieces.ts';
import type { Row, Sql, SqlValue } from '../sql.ts';
import type { CopiedRows } from '../table-rows.ts';
import type { CopiedTable } from './data-tables.ts';

const FIRST_ROWS = 16;
const MOST_ROWS = 1000;
/** Characters of a part, about. */
const PART = 1_000_000;
/** What SQLite escapes, because they separate rows and columns; the backslash first. */
const ESCAPES = [
  [`'\\'`, `'\\\\'`],
  ['char(9)', `'\\t'`],
  ['char(10)', `'\\n'`],
] as const;
/** The rest of what PostgreSQL escapes; rare, and nothing else in rows. */
const RARE = /[\b\v\f\r]/g;
const RARE_ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
};

/**
 * All rows of a table of a SQLite file in the text format of PostgreSQL's COPY, in the order of the key and in parts of about
 * a megabyte. SQLite writes the text of a row: beside the main thread.
 * @param add gets each part as well; without one, the table is complete
 */
export async function* copiedRows(
  sql: Pick<Sql, 'all'>,
  { name, columns, key, texts }: CopiedTable,
  add: (copied?: CopiedRows) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const values = columns.map((column) => {
    if (!texts.has(column)) return `coalesce(${column}, '\\N')`;
    const text = ESCAPES.reduce((inner, [from, to]) => `replace(${inner}, ${from}, ${to})`, column);
    return `coalesce(${text}, '\\N')`;
  });
  const keys = key.map((column, index) => `${column} AS k${index}`);
  const start = `SELECT ${values.join(' || char(9) || ')} || char(10) AS line, ${keys.join(', ')} FROM ${name}`;
  const after = `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  const end = `ORDER BY ${key.join(', ')} LIMIT ?`;
  const read = (last: readonly SqlValue[], limit: number): Promise<Row[]> =>
    sql.all<Row>(last.length > 0 ? `${start} ${after} ${end}` : `${start} ${end}`, [...last, limit]);
  let limit = FIRST_ROWS;
  let next: Promise<Row[]> | undefined = read([], limit);
  try {
    while (next !== undefined) {
      const rows: Row[] = await next;
      next = undefined;
      const final = rows.at(-1);
      if (final === undefined) break;
      if (rows.length === limit) {
        const characters = rows.reduce((sum, { line }) => sum + String(line).length, 0);
        limit = nextPiece(limit, characters, MOST_ROWS);
        // SQLite reads it while the caller works on this page.
        next = read(
          key.map((_, index) => final[`k${index}`] ?? null),
          limit,
        );
      }
      for (const part of partsOf(rows)) {
        add(part);
        yield part.text;
      }
    }
    add();
  } finally {
    await next?.catch(() => {});
  }
}

/** The lines of a page; it is longer than a part where rows are much longer than those before. */
function* partsOf(rows: readonly Row[]): Generator<CopiedRows> {
  let text = '';
  let from = 0;
  for (const [index, { line }] of rows.entries()) {
    text += line;
    if (text.length < PART && index < rows.length - 1) continue;
    const bytes = Buffer.from(text.replace(RARE, (found) => RARE_ESCAPES[found] ?? found));
    yield { text: bytes, rows: index + 1 - from };
    text = '';
    from = index + 1;
  }
}
