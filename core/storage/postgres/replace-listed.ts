import {
  insertListedSql,
  LISTED_COLUMNS,
  type ListedRows,
  replaceListedSql,
  SEARCHED_COLUMNS,
} from '../listed-rows.ts';
import type { SqlValue } from '../sql.ts';
import { tsvectorText } from './full-text.ts';

const TYPES: Readonly<Record<string, string>> = {
  number: 'bigint',
  item: 'bigint',
  language: 'bigint',
  type: 'bigint',
  state: 'bigint',
  lacking: 'bigint',
};

/** @returns the statement that makes `replace_listed` for a session */
export function replaceListedFunction(): string {
  const listed = rowsOf(LISTED_COLUMNS, 'listed_rows');
  const statements = replaceListedSql({
    items: 'SELECT unnest(items)',
    listed,
    searched: rowsOf(SEARCHED_COLUMNS, 'searched_rows'),
    store: [upsertSql(listed)],
    write: (rows) =>
      `INSERT INTO full_text (number, name, words) SELECT number, name::tsvector, words::tsvector FROM (${rows}) t
       ON CONFLICT (number) DO UPDATE SET name = excluded.name, words = excluded.words`,
    key: 'number',
  });
  return `CREATE OR REPLACE FUNCTION pg_temp.replace_listed(items bigint[], listed_rows jsonb, searched_rows jsonb)
    RETURNS void LANGUAGE plpgsql AS $body$ BEGIN
      ${statements.join(';\n      ')};
    END $body$`;
}

/** An update changes all indexes, so there is one. */
function upsertSql(listed: string): string {
  const columns = ['type', 'state', 'name', 'changed', 'author'];
  const values = columns.map((column) => `${column} = excluded.${column}`);
  const differs = columns.map((column) => `listed.${column} IS DISTINCT FROM excluded.${column}`);
  return `${insertListedSql(listed)} ON CONFLICT (number) DO UPDATE SET ${values.join(', ')},
      lacking = CASE WHEN excluded.searched IS NULL THEN listed.lacking ELSE excluded.lacking END,
      searched = coalesce(excluded.searched, listed.searched)
    WHERE ${differs.join(' OR ')}
      OR excluded.searched IS NOT NULL AND listed.searched IS DISTINCT FROM excluded.searched`;
}

/** The words of rows as `tsvector`. */
export function vectorsOf({ searched }: ListedRows): SqlValue[][] {
  const name = SEARCHED_COLUMNS.indexOf('name');
  return searched.map((row) => [
    ...row.slice(0, name),
    ...row.slice(name).map((words) => tsvectorText(String(words))),
  ]);
}

function rowsOf(columns: readonly string[], parameter: string): string {
  const picks = columns.map((column, index) => {
    const type = TYPES[column];
    const value = type === undefined ? `v ->> ${index}` : `(v ->> ${index})::${type}`;
    return `${value} AS ${column}`;
  });
  return `SELECT ${picks.join(', ')} FROM jsonb_array_elements(${parameter}) AS j (v)`;
}
