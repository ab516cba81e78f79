import { jsonText } from '../../turns/json-bytes.ts';
import { COMPILED_COLUMNS, type CompiledRows, type CompiledTable } from '../compiled-rows.ts';
import { markUsedSql } from '../listed-assets.ts';
import type { SqlValue } from '../sql.ts';
import type { Writer } from '../write-transaction.ts';
import type { Connection } from './connection.ts';
import { hasLongTexts, rowsParameters, rowsSql } from './rows-parameters.ts';

const TABLES = Object.keys(COMPILED_COLUMNS) as CompiledTable[];

const at = (column: (typeof COMPILED_COLUMNS)['uses'][number]) => COMPILED_COLUMNS.uses.indexOf(column);

/**
 * Prepares the statements as one: the trigger of a temporary view runs them. Each statement takes a round trip to
 * libuv's pool, about 0.08 ms, which was most of the time of writing one variant.
 *
 * Another trigger removes what is replaced: rows that a trigger inserts into a table that it has read before are all written to a
 * table in memory first. What it removes is looked up once. A hundred new items take 3.1 instead of 4.0 ms, an item that is
 * published 0.10 instead of 0.15.
 */
export async function prepareReplacing(writer: Connection): Promise<void> {
  // As `rowsParameters` has them.
  const parametersOf = (table: CompiledTable) =>
    hasLongTexts(table, COMPILED_COLUMNS[table]) ? [`${table}_rows`, `${table}_texts`] : [`${table}_rows`];
  const columns = ['items', 'views', 'kept', ...TABLES.flatMap(parametersOf)];
  const inserts = TABLES.map((table) => {
    const names = COMPILED_COLUMNS[table];
    return `INSERT INTO ${table} (${names.join(', ')}) ${rowsSql(table, names, `NEW.${table}_rows`, `NEW.${table}_texts`)};`;
  });
  const kept = 'SELECT value ->> 0 AS number, value ->> 1 AS visible FROM jsonb_each(NEW.kept)';
  const [markUnused, markUsed] = markUsedSql({
    documents: 'SELECT number FROM replaced',
    uses: `SELECT value ->> ${at('kind')} AS kind, value ->> ${at('target')} AS target FROM jsonb_each(NEW.uses_rows)`,
  });
  await writer.execute(`
    CREATE TEMP TABLE replaced (number INTEGER PRIMARY KEY);
    CREATE TEMP VIEW removed AS SELECT '' AS items, '' AS views, '' AS kept, '' AS uses_rows;
    CREATE TEMP TRIGGER remove_compiled INSTEAD OF INSERT ON removed BEGIN
      DELETE FROM replaced;
      INSERT INTO replaced SELECT number FROM document WHERE item IN (SELECT value FROM json_each(NEW.items))
        AND number NOT IN (SELECT number FROM (${kept}));
      ${markUnused};
      DELETE FROM entry WHERE document IN replaced;
      DELETE FROM uses WHERE document IN replaced;
      DELETE FROM document WHERE number IN replaced;
      UPDATE document SET visible = k.visible FROM (${kept}) k
        WHERE document.number = k.number AND document.visible <> k.visible;
      UPDATE entry SET visible = k.visible FROM (${kept}) k
        WHERE entry.document = k.number AND entry.visible <> k.visible;
      DELETE FROM resolved WHERE view IN (SELECT value FROM json_each(NEW.views))
        AND item IN (SELECT value FROM json_each(NEW.items));
    END;
    CREATE TEMP VIEW compiled AS SELECT ${columns.map((column) => `'' AS ${column}`).join(', ')};
    CREATE TEMP TRIGGER replace_compiled INSTEAD OF INSERT ON compiled BEGIN
      INSERT INTO removed VALUES (NEW.items, NEW.views, NEW.kept, NEW.uses_rows);
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
  const parameters: SqlValue[] = [await jsonText(items), await jsonText(views), await jsonText(rows.kept)];
  for (const table of TABLES)
    parameters.push(...(await rowsParameters(table, COMPILED_COLUMNS[table], rows[table])));
  await writer.run(`INSERT INTO compiled VALUES (${parameters.map(() => '?').join(', ')})`, parameters);
}
