import type { ProjectModel } from '../model/model.ts';
import type { Reader } from '../storage/ports.ts';
import type { NamedItems } from './named-items.ts';
import type { DeliveryQuery } from './parse-query.ts';
import { linkedCodenames, namedIds } from './plan-conditions.ts';

const NONE: NamedItems = { idOf: new Map(), codenameOf: new Map() };

/** The items that filters of a query name; reads nothing when there are none, as is usual. */
export async function lookUpItems(
  { sql }: Reader,
  model: ProjectModel,
  query: DeliveryQuery,
): Promise<NamedItems> {
  const codenames = linkedCodenames(model, query.filters);
  const ids = namedIds(query.filters);
  if (codenames.length === 0 && ids.length === 0) return NONE;
  const find = async (column: 'id' | 'codename', values: readonly string[]) => {
    if (values.length === 0) return [];
    const among = sql.among(column, values);
    return sql.all<{ id: string; codename: string }>(
      `SELECT id, codename FROM item WHERE project = ? AND codename IS NOT NULL AND ${among.text}`,
      [model.project.number, among.parameter],
    );
  };
  return {
    idOf: new Map((await find('codename', codenames)).map((row) => [row.codename, row.id])),
    codenameOf: new Map((await find('id', ids)).map((row) => [row.id, row.codename])),
  };
}
