import type { PostgresConnection } from './connection.ts';

/** Type by `table.column`. */
export type ColumnTypes = ReadonlyMap<string, string>;

export async function readColumnTypes(connection: PostgresConnection): Promise<ColumnTypes> {
  const rows = await connection.all<{ name: string; type: string }>(
    `SELECT c.relname || '.' || a.attname AS name, format_type(a.atttypid, NULL) AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** `SELECT` of rows for the columns of a table from one JSON array of arrays. */
export function recordSet(
  types: ColumnTypes,
  table: string,
  columns: readonly string[],
  parameter: string,
): string {
  const picks = columns.map((column, index) => {
    const type = types.get(`${table}.${column}`);
    return type === 'text' ? `r.v ->> ${index}` : `(r.v ->> ${index})::${type}`;
  });
  return `SELECT ${picks.join(', ')} FROM jsonb_array_elements(${parameter}::jsonb) AS r (v)`;
}
