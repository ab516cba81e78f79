import { jsonText } from '../../turns/json-bytes.ts';
import { COMPILED_COLUMNS, type CompiledRows, type CompiledTable } from '../compiled-rows.ts';
import { markUsedSql } from '../listed-assets.ts';
import type { Writer } from '../write-transaction.ts';
import type { Connection } from './connection.ts';

const TABLES = Object.keys(COMPILED_COLUMNS) as CompiledTable[];

const at = (column: (typeof COMPILED_COLUMNS)['uses'][number]) => COMPILED_COLUMNS.uses.indexOf(column);

/**
 * Prepares ten statements as one: the trigger of a temporary view runs them. Each statement takes a round trip to
 * libuv's pool, about 0.08 ms, which was most of the time of writing one variant.
 */
export async function prepareReplacing(writer: Connection): Promise<void> {
  const columns = ['items', 'views', 'kept', ...TABLES.map((table) => `${table}_rows`)];
  const inserts = TABLES.map((table) => {
    const names = COMPILED_COLUMNS[table];
    const picks = names.map((_, index) => `value ->> ${index}`);
    return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${picks.join(', ')} FROM jsonb_each(NEW.${table}_rows);`;
  });
  const kept = 'SELECT value ->> 0 AS number, value ->> 1 AS visible FROM jsonb_each(NEW.kept)';
  const old = `SELECT number FROM document WHERE item IN (SELECT value FROM json_each(NEW.items))
    AND number NOT IN (SELECT number FROM (${kept}))`;
  const [markUnused, markUsed] = markUsedSql({
    documents: old,
    uses: `SELECT value ->> ${at('kind')} AS kind, value ->> ${at('target')} AS target FROM jsonb_each(NEW.uses_rows)`,
  });
  await writer.execute(`
    CREATE TEMP VIEW compiled AS SELECT ${columns.map((column) => `'' AS ${column}`).join(', ')};
    CREATE TEMP TRIGGER replace_compiled INSTEAD OF INSERT ON compiled BEGIN
      ${markUnused};
      DELETE FROM entry WHERE document IN (${old});
      DELETE FROM uses WHERE document IN (${old});
      DELETE FROM document WHERE number IN (${old});
      UPDATE document SET visible = k.visible FROM (${kept}) k
        WHERE document.number = k.number AND document.visible <> k.visible;
      UPDATE entry SET visible = k.visible FROM (${kept}) k
        WHERE entry.document = k.number AND entry.visible <> k.visible;
      DELETE FROM resolved WHERE view IN (SELECT value FROM json_each(NEW.views))
        AND item IN (SELECT value FROM json_each(NEW.items));
      ${inserts.join('\n      ')}
      ${markUsed};
    END`);
}

export async function replaceDocuments(
  writer: Pick<Writer, 'run'>,
  items: readonly number[],
  views: readonly number[],
  rows: CompiledRows,
): Promise<void> {
  const parameters: string[] = [];
  for (const value of [items, views, rows.kept, ...TABLES.map((table) => rows[table])])
    parameters.push(await jsonText(value));
  await writer.run(`INSERT INTO compiled VALUES (${parameters.map(() => '?').join(', ')})`, parameters);
}
