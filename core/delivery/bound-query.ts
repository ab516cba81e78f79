import type { Channel, ProjectModel } from '../model/model.ts';
import type { Reader } from '../storage/ports.ts';
import type { NamedItems } from './named-items.ts';
import type { DeliveryQuery } from './parse-query.ts';
import { linkedCodenames, namedIds } from './plan-conditions.ts';

/** A query about items, with the model and the items that it names. */
export interface BoundQuery {
  readonly model: ProjectModel;
  readonly channel: Channel;
  readonly query: DeliveryQuery;
  readonly named: NamedItems;
  /** Of a single item. */
  readonly codename: string | undefined;
}

/** Of a query that names no items. */
const NO_NAMED_ITEMS: NamedItems = { idOf: new Map(), codenameOf: new Map() };

/** The items that filters of a query name; reads nothing when they name none, as is usual. */
export function namedItems(
  reader: Reader,
  model: ProjectModel,
  { filters }: DeliveryQuery,
): NamedItems | Promise<NamedItems> {
  if (filters.length === 0) return NO_NAMED_ITEMS;
  const codenames = linkedCodenames(model, filters);
  const ids = namedIds(filters);
  return codenames.length === 0 && ids.length === 0 ? NO_NAMED_ITEMS : lookUp(reader, model, codenames, ids);
}

export function areSame(one: NamedItems, other: NamedItems): boolean {
  return one === other || (haveSame(one.idOf, other.idOf) && haveSame(one.codenameOf, other.codenameOf));
}

function haveSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

async function lookUp(
  { sql }: Reader,
  model: ProjectModel,
  codenames: readonly string[],
  ids: readonly string[],
): Promise<NamedItems> {
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
