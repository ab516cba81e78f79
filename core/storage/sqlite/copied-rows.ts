import { nextPiece } from '../../turns/in-pieces.ts';
import type { Row, Sql, SqlValue } from '../sql.ts';
import type { CopiedRows } from '../table-rows.ts';
import type { CopiedTable } from './data-tables.ts';
import { PACKED_COLUMNS } from './packed-text.ts';

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
const ESCAPED = /[\\\t\n]/g;
/** The rest of what PostgreSQL escapes; rare, and nothing else in rows. */
const RARE = /[\b\v\f\r]/g;
const IN_TEXT: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
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
  const packed = columns.indexOf(PACKED_COLUMNS[name] ?? '');
  const selected =
    packed < 0 ? [`${lineOf(values)} || char(10) AS line`] : aroundPacked(columns, values, packed);
  const start = `SELECT ${[...selected, ...keys].join(', ')} FROM ${name}`;
  const after = `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  const end = `ORDER BY ${key.join(', ')} LIMIT ?`;
  const read = async (last: readonly SqlValue[], limit: number): Promise<Row[]> => {
    const text = last.length > 0 ? `${start} ${after} ${end}` : `${start} ${end}`;
    const rows = await sql.all<Row>(text, [...last, limit]);
    if (packed >= 0)
      for (const row of rows) row['line'] = `${row['line']}${escaped(row['packed'])}${row['rest']}`;
    return rows;
  };
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

function lineOf(values: readonly string[]): string {
  return values.join(' || char(9) || ');
}

/** A packed text is read apart: SQLite writes what is before and behind it. */
function aroundPacked(columns: readonly string[], values: readonly string[], packed: number): string[] {
  const isPacked = `typeof(${columns[packed]}) = 'blob'`;
  const before = [...values.slice(0, packed), `iif(${isPacked}, '', ${values[packed]})`];
  const rest = ["''", ...values.slice(packed + 1)];
  return [
    `${lineOf(before)} AS line`,
    `iif(${isPacked}, ${columns[packed]}, '') AS packed`,
    `${lineOf(rest)} || char(10) AS rest`,
  ];
}

function escaped(text: SqlValue | undefined): string {
  return String(text).replace(ESCAPED, (found) => IN_TEXT[found] ?? found);
}

/** The lines of a page; it is longer than a part where rows are much longer than those before. */
function* partsOf(rows: readonly Row[]): Generator<CopiedRows> {
  let text = '';
  let from = 0;
  for (const [index, { line }] of rows.entries()) {
    text += line;
    if (text.length < PART && index < rows.length - 1) continue;
    const bytes = Buffer.from(text.replace(RARE, (found) => IN_TEXT[found] ?? found));
    yield { text: bytes, rows: index + 1 - from };
    text = '';
    from = index + 1;
  }
}
