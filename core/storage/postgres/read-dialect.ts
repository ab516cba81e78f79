import type { ReadDialect } from '../listings/read-dialect.ts';
import { raw, sql } from '../listings/statement.ts';
import { among } from './among.ts';
import { arrayLiteral } from './array-literal.ts';
import { matching } from './full-text.ts';

const NOTHING = raw('');

/**
 * PostgreSQL has no hints, so the access path is fixed by what its planner cannot change: a subquery with OFFSET or LIMIT
 * is run as it is written, for each row of the tables before it, and an index that yields the order of a LIMIT is read in
 * this order. An EXISTS without OFFSET would become a join of all index rows.
 */
export const POSTGRES_READS: ReadDialect = {
  begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  among,
  matching,
  index: () => NOTHING,
  exists: raw('EXISTS'),
  fence: raw(' OFFSET 0'),
  single: raw(' LIMIT 1'),
  // Required before PostgreSQL 16.
  alias: raw(' q'),
  filter: (column) => `+${column}`,
  oneOf: (column, values) =>
    // Only an equality keeps the order of the other columns of an index.
    values.length === 1
      ? sql`${raw(column)} = ${values[0] ?? null}`
      : sql`${raw(column)} = ANY (${arrayLiteral(values)})`,
  noneOf: (column, values) => sql`${raw(column)} <> ALL (${arrayLiteral(values)})`,
  /**
   * The planner takes an array for ten values, and so always makes it a hash table; `IS TRUE` keeps it from making it a
   * join, which would lose the order.
   */
  inSet: (column, isExclusion, rows) =>
    sql`(${raw(column)} ${raw(isExclusion ? 'NOT IN' : 'IN')} (SELECT unnest(ARRAY(${rows})))) IS TRUE`,
  hasBit: (column, bit) => sql`${raw(column)} & ${bit} <> 0`,
  limit: (count, skip, passed) => {
    if (skip === undefined) return sql` LIMIT ${count}`;
    return passed ? sql` LIMIT ${count} OFFSET ${skip} - ${passed}` : sql` LIMIT ${count} OFFSET ${skip}`;
  },
  combinesSlots: true,
  eachSlot: (slots, read) =>
    slots.length === 1
      ? read(sql`CAST(${slots[0] ?? null} AS bigint)`)
      : sql`SELECT a.* FROM unnest(CAST(${arrayLiteral(slots)} AS bigint[])) AS s (slot) CROSS JOIN LATERAL (${read(raw('s.slot'))}) a`,
  listOf: arrayLiteral,
  numbers: 'unnest(CAST(? AS bigint[])) AS j (value)',
  lookUp: (table, alias, on) =>
    `CROSS JOIN LATERAL (SELECT * FROM ${table} ${alias} WHERE ${on} OFFSET 0) ${alias}`,
  concatenation: (value) => `string_agg(CAST(${value} AS text), ',')`,
  bytes: (text) => text,
};
