import type { Sql } from '../sql.ts';
import { type DataTable, pagesOf } from '../table-rows.ts';
import type { ColumnTypes } from './row-sets.ts';

/** Characters of a chunk, at least. */
const CHUNK = 65_536;
/** Characters that the text format of COPY escapes, and their escapes; the backslash first. */
const ESCAPES = [
  [`'\\'`, `'\\\\'`],
  ['char(9)', `'\\t'`],
  ['char(10)', `'\\n'`],
  ['char(13)', `'\\r'`],
] as const;

/** All rows of a table of a SQLite file in the text format of COPY, which SQLite writes itself: beside the main thread. */
export async function* copyChunks(
  copy: Sql,
  table: DataTable,
  types: ColumnTypes,
): AsyncGenerator<Uint8Array> {
  const values = table.columns.map((column) => {
    const isText = types.get(`${table.name}.${column}`) === 'text';
    const text = ESCAPES.reduce((inner, [from, to]) => `replace(${inner}, ${from}, ${to})`, column);
    return `coalesce(${isText ? text : column}, '\\N')`;
  });
  const line = `${values.join(' || char(9) || ')} || char(10)`;
  let chunk = '';
  for await (const page of pagesOf(copy, table, [line]))
    for (const [text] of page) {
      chunk += text;
      if (chunk.length < CHUNK) continue;
      yield Buffer.from(chunk);
      chunk = '';
    }
  yield Buffer.from(chunk);
}
