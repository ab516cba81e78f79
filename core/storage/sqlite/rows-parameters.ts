import { jsonText } from '../../turns/json-bytes.ts';
import { isTurnLong, nextTurn } from '../../turns/turn.ts';
import type { SqlValue } from '../sql.ts';

/**
 * Columns whose texts are long, and never null. They are bytes of their own, and a row holds where each begins and its length: in
 * the JSON of the rows each would be escaped, parsed, and copied with its row for every column of it.
 */
const LONG: Readonly<Record<string, readonly string[]>> = {
  document: ['components', 'body', 'layout'],
  version: ['elements'],
};

/** Rows of the columns have a second parameter, with the long texts. */
export function hasLongTexts(table: string, columns: readonly string[]): boolean {
  return LONG[table]?.some((column) => columns.includes(column)) ?? false;
}

/** `SELECT` of the columns of rows that are the parameters `rows` and, where the table has long texts, `texts`. */
export function rowsSql(table: string, columns: readonly string[], rows: string, texts: string): string {
  const long = LONG[table] ?? [];
  let index = 0;
  const pick = () => `value ->> ${index++}`;
  const picks = columns.map((column) =>
    long.includes(column) ? `CAST(substr(${texts}, ${pick()}, ${pick()}) AS TEXT)` : pick(),
  );
  return `SELECT ${picks.join(', ')} FROM jsonb_each(${rows})`;
}

/** Rows as these parameters. */
export async function rowsParameters(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Promise<[rows: string] | [rows: string, texts: Uint8Array]> {
  if (!hasLongTexts(table, columns)) return [await jsonText(rows)];
  const isLong = columns.map((column) => LONG[table]?.includes(column));
  // The driver makes NULL of no bytes.
  const texts = [Buffer.of(0)];
  /** Of the next text; SQLite counts from 1. */
  let start = 2;
  const placed: SqlValue[][] = [];
  for (const row of rows) {
    if (isTurnLong()) await nextTurn();
    const values: SqlValue[] = [];
    for (const [index, value] of row.entries()) {
      if (!isLong[index]) values.push(value);
      else {
        const bytes = Buffer.from(value as string);
        texts.push(bytes);
        values.push(start, bytes.length);
        start += bytes.length;
      }
    }
    placed.push(values);
  }
  return [await jsonText(placed), Buffer.concat(texts)];
}
