import type { ListingIndex, ReadDialect } from '../listings/read-dialect.ts';
import { raw, type Statement, sql } from '../listings/statement.ts';
import { among } from './among.ts';
import { matching } from './full-text.ts';

/** Longer lists become one parameter, so that lists of each length do not need statements of their own. */
const SPREAD_LIMIT = 64;

/** Made once: every listing has some. */
const INDEXED: Readonly<Record<ListingIndex, Statement>> = {
  entry_key: raw(' INDEXED BY entry_key'),
  // Of the constraint UNIQUE (project, id).
  item_id: raw(' INDEXED BY sqlite_autoindex_item_1'),
  resolved_codename: raw(' INDEXED BY resolved_codename'),
  resolved_type: raw(' INDEXED BY resolved_type'),
};

const NOTHING = raw('');
const ZERO = raw('0');

export const SQLITE_READS: ReadDialect = {
  begin: 'BEGIN',
  among,
  matching,
  index: (name) => INDEXED[name],
  /**
   * The plus keeps SQLite (3.52) from turning the test into a join: with an OFFSET, that join counts a document once for
   * each of its matching index rows.
   */
  exists: raw('+EXISTS'),
  fence: NOTHING,
  single: NOTHING,
  alias: NOTHING,
  filter: (column) => column,
  oneOf: (column, values) => listed(`${column} IN (`, values),
  noneOf: (column, values) => listed(`${column} NOT IN (`, values),
  /** The plus keeps SQLite from starting from the set. */
  inSet: (column, isExclusion, rows) => sql`+${raw(column)} ${raw(isExclusion ? 'NOT IN' : 'IN')} (${rows})`,
  // In the text: with fewer parameters to bind, a deep page of twenty types with a filter took 1.19 ms of CPU instead of 1.39.
  hasBit: (column, bit) => raw(`${column} & ${bit}`),
  /** `? + 0`, `? - 0`: SQLite reads a bare parameter there when it plans, and plans again each time one is bound. */
  limit: (count, skip, passed = ZERO) =>
    skip === undefined
      ? sql` LIMIT ${count ?? -1} + 0`
      : sql` LIMIT ${count ?? -1} + 0 OFFSET ${skip} - ${passed}`,
  combinesSlots: false,
  eachSlot: ([slot], read) => read({ text: '?', parameters: [slot ?? null] }),
  listOf: (values) => JSON.stringify(values),
  numbers: 'json_each(?) j',
  lookUp: (table, alias, on) => `CROSS JOIN ${table} ${alias} ON ${on}`,
  concatenation: (value) => `group_concat(${value})`,
  bytes: (text) => `cast(${text} AS BLOB)`,
};

/** @param opening of the list */
function listed(opening: string, values: readonly (string | number)[]): Statement {
  return values.length > SPREAD_LIMIT
    ? { text: `${opening}SELECT value FROM json_each(?))`, parameters: [JSON.stringify(values)] }
    : { text: `${opening}${values.map(() => '?').join(', ')})`, parameters: values };
}
