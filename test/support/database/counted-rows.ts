import type { Sql } from '../../../core/storage/sql.ts';

/** The same statements; `read` receives how many rows each of them has. */
export function countedRows<Counted extends Sql>(sql: Counted, read: (rows: number) => void): Counted {
  return new Proxy(sql, {
    get(target, name) {
      if (name !== 'all') return (Reflect.get(target, name) as () => unknown).bind(target);
      return async (...statement: Parameters<Sql['all']>) => {
        const rows = await target.all(...statement);
        read(rows.length);
        return rows;
      };
    },
  });
}
