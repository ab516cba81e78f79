import { IS_NOT_DERIVED } from '../listed-rows.ts';
import type { Sql } from '../sql.ts';
import type { DataTable } from '../table-rows.ts';

/** All tables of the file but those of SQLite and knex, and those that are made from others. */
export async function dataTables(sql: Pick<Sql, 'all'>): Promise<readonly DataTable[]> {
  const columns = await sql.all<{ table: string; name: string; pk: number }>(
    `SELECT m.name AS "table", c.name AS name, c.pk AS pk FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'knex_%'
       AND ${IS_NOT_DERIVED('m.name')} ORDER BY m.name, c.cid`,
  );
  const tables = new Map<
    string,
    { readonly name: string; readonly columns: string[]; readonly key: string[] }
  >();
  for (const { table, name, pk } of columns) {
    const found = tables.get(table) ?? { name: table, columns: [], key: [] };
    tables.set(table, found);
    found.columns.push(name);
    if (pk > 0) found.key[pk - 1] = name;
  }
  return [...tables.values()];
}
