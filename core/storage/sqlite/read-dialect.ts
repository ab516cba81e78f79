import type { ReadDialect } from '../listings/read-dialect.ts';
import { raw, type Statement, sql } from '../listings/statement.ts';
import { among } from './among.ts';

/** Longer lists become one parameter, so that lists of each length do not need statements of their own. */
const SPREAD_LIMIT = 64;

export const SQLITE_READS: ReadDialect = {
  begin: 'BEGIN',
  among,
  index: (name) => raw(` INDEXED BY ${name}`),
  /**
   * The plus keeps SQLite (3.52) from turning the test into a join: with an OFFSET, that join counts a document once for
   * each of its matching index rows.
   */
  exists: '+EXISTS',
  fence: '',
  single: '',
  alias: '',
  filter: (column) => column,
  oneOf: (column, values) => sql`${raw(column)} IN (${list(values)})`,
  noneOf: (column, values) => sql`${raw(column)} NOT IN (${list(values)})`,
  /** The plus keeps SQLite from starting from the set. */
  inSet: (column, isExclusion, rows) => sql`+${raw(column)} ${raw(isExclusion ? 'NOT IN' : 'IN')} (${rows})`,
  hasBit: (column, bit) => sql`${raw(column)} & ${bit}`,
  /** `? + 0`: SQLite reads a bare parameter there when it plans, and plans again each time one is bound. */
  limit: (count, skip) =>
    skip === undefined ? sql` LIMIT ${count ?? -1} + 0` : sql` LIMIT ${count ?? -1} + 0 OFFSET ${skip} + 0`,
  combinesSlots: false,
  eachSlot: ([slot], read) => read(sql`${slot ?? null}`),
  listOf: (values) => JSON.stringify(values),
  numbers: 'json_each(?) j',
  lookUp: (table, alias, on) => `CROSS JOIN ${table} ${alias} ON ${on}`,
  concatenation: (value) => `group_concat(${value})`,
  bytes: (text) => `cast(${text} AS BLOB)`,
};

/** The inside of `IN (…)`. */
function list(values: readonly (string | number)[]): Statement {
  if (values.length > SPREAD_LIMIT)
    return { text: 'SELECT value FROM json_each(?)', parameters: [JSON.stringify(values)] };
  return { text: values.map(() => '?').join(', '), parameters: values };
}
