import { jsonText } from '../../turns/json-bytes.ts';
import {
  insertListedSql,
  LISTED_COLUMNS,
  type ListedRows,
  replaceListedSql,
  SEARCHED_COLUMNS,
} from '../listed-rows.ts';
import type { SqlValue } from '../sql.ts';
import { LOG_COLUMNS, type Writer } from '../write-transaction.ts';
import type { Connection } from './connection.ts';

/** Prepares the statements as one, like those of compiled documents, together with that of the change log. */
export async function prepareListing(writer: Connection): Promise<void> {
  const listed = rowsOf(LISTED_COLUMNS, 'NEW.listed');
  const statements = replaceListedSql({
    items: 'SELECT value FROM json_each(NEW.items)',
    listed,
    searched: rowsOf(SEARCHED_COLUMNS, 'NEW.searched'),
    // Each changes the indexes of its columns.
    store: [
      updateSql(listed, ['type', 'name']),
      updateSql(listed, ['state']),
      updateSql(listed, ['changed', 'author', 'lacking', 'searched']),
      `${insertListedSql(listed)} ON CONFLICT (number) DO NOTHING`,
    ],
    write: (rows) =>
      `INSERT OR REPLACE INTO full_text (rowid, name, words) SELECT number, name, words FROM (${rows})`,
    key: 'rowid',
  });
  await writer.execute(`
    CREATE TEMP VIEW relisted AS SELECT '' AS items, '' AS listed, '' AS searched, '' AS changes;
    CREATE TEMP TRIGGER replace_listed INSTEAD OF INSERT ON relisted BEGIN
      ${statements.join(';\n      ')};
      INSERT INTO change (${LOG_COLUMNS.join(', ')}) ${rowsOf(LOG_COLUMNS, 'NEW.changes')};
    END`);
}

export async function replaceListed(
  writer: Pick<Writer, 'run'>,
  items: readonly number[],
  { listed, searched }: ListedRows,
  changes: readonly (readonly SqlValue[])[],
): Promise<void> {
  await writer.run('INSERT INTO relisted VALUES (?, ?, ?, ?)', [
    await jsonText(items),
    await jsonText(listed),
    await jsonText(searched),
    await jsonText(changes),
  ]);
}

function updateSql(listed: string, columns: readonly string[]): string {
  const given = (column: string) =>
    column === 'lacking' || column === 'searched' ? `coalesce(r.${column}, listed.${column})` : `r.${column}`;
  const values = columns.map((column) => `${column} = ${given(column)}`);
  const differs = columns.map((column) => `listed.${column} IS DISTINCT FROM ${given(column)}`);
  return `UPDATE listed SET ${values.join(', ')} FROM (${listed}) r
    WHERE listed.number = r.number AND (${differs.join(' OR ')})`;
}

function rowsOf(columns: readonly string[], parameter: string): string {
  const picks = columns.map((column, index) => `value ->> ${index} AS ${column}`);
  return `SELECT ${picks.join(', ')} FROM jsonb_each(${parameter})`;
}
