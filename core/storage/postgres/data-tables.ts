import { IS_NOT_DERIVED } from '../listed-rows.ts';
import type { Sql } from '../sql.ts';
import type { DataTable } from '../table-rows.ts';

/** All tables of the schema but those of knex, of running cores, and those made from others; each one after those that its rows refer to. */
export async function dataTables(connection: Pick<Sql, 'all'>): Promise<readonly DataTable[]> {
  const rows = await connection.all<{ name: string; columns: string; key: string }>(
    `SELECT c.relname AS name, string_agg(a.attname, ',' ORDER BY a.attnum) AS columns,
       string_agg(a.attname, ',' ORDER BY array_position(p.conkey, a.attnum)) FILTER (WHERE a.attnum = ANY (p.conkey)) AS key
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       JOIN pg_constraint p ON p.conrelid = c.oid AND p.contype = 'p'
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE 'knex_%'
       AND c.relname <> 'running_core' AND ${IS_NOT_DERIVED('c.relname')}
       AND a.attnum > 0 AND NOT a.attisdropped
     GROUP BY c.relname ORDER BY c.relname`,
  );
  const references = await connection.all<{ from: string; to: string }>(
    `SELECT f.relname AS "from", t.relname AS "to" FROM pg_constraint r
     JOIN pg_class f ON f.oid = r.conrelid JOIN pg_class t ON t.oid = r.confrelid
     WHERE r.contype = 'f' AND f.relnamespace = current_schema()::regnamespace`,
  );
  const ordered = new Map<string, DataTable>();
  const add = (name: string) => {
    if (ordered.has(name)) return;
    for (const { from, to } of references) if (from === name && to !== name) add(to);
    const row = rows.find((one) => one.name === name);
    if (row) ordered.set(name, { name, columns: row.columns.split(','), key: row.key.split(',') });
  };
  for (const { name } of rows) add(name);
  return [...ordered.values()];
}
