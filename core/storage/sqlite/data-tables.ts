import { IS_NOT_DERIVED } from '../listed-rows.ts';
import type { Sql } from '../sql.ts';
import type { DataTable } from '../table-rows.ts';

export interface CopiedTable extends DataTable {
  /** Columns whose values are texts. */
  readonly texts: ReadonlySet<string>;
}

/** All tables of the file but those of SQLite and knex, and those that are made from others. */
export async function dataTables(sql: Pick<Sql, 'all'>): Promise<readonly CopiedTable[]> {
  const columns = await sql.all<{ table: string; name: string; type: string; pk: number }>(
    `SELECT m.name AS "table", c.name AS name, c.type AS type, c.pk AS pk
     FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'knex_%'
       AND ${IS_NOT_DERIVED('m.name')} ORDER BY m.name, c.cid`,
  );
  const tables = new Map<
    string,
    {
      readonly name: string;
      readonly columns: string[];
      readonly key: string[];
      readonly texts: Set<string>;
    }
  >();
  for (const { table, name, type, pk } of columns) {
    const found = tables.get(table) ?? { name: table, columns: [], key: [], texts: new Set() };
    tables.set(table, found);
    found.columns.push(name);
    if (type === 'TEXT') found.texts.add(name);
    if (pk > 0) found.key[pk - 1] = name;
  }
  return [...tables.values()];
}
