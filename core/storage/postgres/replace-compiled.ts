import { COMPILED_COLUMNS, type CompiledTable } from '../compiled-rows.ts';
import { markUsedSql } from '../listed-assets.ts';
import { type ColumnTypes, recordSet } from './row-sets.ts';

export const COMPILED_TABLES = Object.keys(COMPILED_COLUMNS) as CompiledTable[];

/** @returns the statement that makes `replace_compiled` for a session: ten statements as one call, planned once */
export function replaceCompiledSql(types: ColumnTypes): string {
  const rows = COMPILED_TABLES.map((table) => `${table}_rows`);
  const inserts = COMPILED_TABLES.map((table) => {
    const columns = COMPILED_COLUMNS[table];
    return `INSERT INTO ${table} (${columns.join(', ')}) ${recordSet(types, table, columns, `${table}_rows`)};`;
  });
  const old = 'SELECT d.number FROM document d WHERE d.item = ANY (items) AND d.number <> ALL (kept)';
  const { uses } = COMPILED_COLUMNS;
  const [markUnused, markUsed] = markUsedSql({
    documents: old,
    uses: `SELECT * FROM (${recordSet(types, 'uses', uses, 'uses_rows')}) AS c (${uses.join(', ')})`,
  });
  return `CREATE OR REPLACE FUNCTION pg_temp.replace_compiled(items bigint[], views bigint[], kept bigint[], shown integer[], ${rows.map((name) => `${name} text`).join(', ')})
    RETURNS void LANGUAGE plpgsql AS $body$ BEGIN
      ${markUnused};
      DELETE FROM entry WHERE document IN (${old});
      DELETE FROM uses WHERE document IN (${old});
      DELETE FROM document WHERE item = ANY (items) AND number <> ALL (kept);
      IF cardinality(kept) > 0 THEN
        UPDATE document d SET visible = k.visible FROM unnest(kept, shown) k (number, visible)
          WHERE d.number = k.number AND d.visible <> k.visible;
        UPDATE entry e SET visible = k.visible FROM unnest(kept, shown) k (number, visible)
          WHERE e.document = k.number AND e.visible <> k.visible;
      END IF;
      DELETE FROM resolved WHERE view = ANY (views) AND item = ANY (items);
      ${inserts.join('\n      ')}
      ${markUsed};
    END $body$`;
}
