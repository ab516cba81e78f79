import type { Sql, SqlValue } from '../sql.ts';
import type { Statement } from './statement.ts';

/** Indexes that listings are read by. */
export type ListingIndex = 'entry_key' | 'item_id' | 'resolved_codename' | 'resolved_type';

/**
 * What the SQL of reads has of one database: its syntax, and how its planner is kept to the chosen access path
 * (SQLite: `INDEXED BY`, a unary plus, `CROSS JOIN`; PostgreSQL: subqueries with `OFFSET 0`, which it never merges with
 * the query around them).
 */
export interface ReadDialect {
  /** Begins a transaction that shows one state. */
  readonly begin: string;
  readonly among: Sql['among'];
  readonly matching: Sql['matching'];
  /** After a table: the index to read. */
  index(name: ListingIndex): Statement;
  /** `EXISTS` as a condition that is checked for each row. */
  readonly exists: Statement;
  /** End of a subquery that is run for each row. */
  readonly fence: Statement;
  /** End of a subquery in place of a value. */
  readonly single: Statement;
  /** After a subquery in `FROM`. */
  readonly alias: Statement;
  /** A column of the index that is read, as a test of its rows and not as a way to find them. */
  filter(column: string): string;
  oneOf(column: string, values: readonly (string | number)[]): Statement;
  noneOf(column: string, values: readonly (string | number)[]): Statement;
  /** Whether the column of `rows`, which is read once into a set, has the value. */
  inSet(column: string, isExclusion: boolean, rows: Statement): Statement;
  hasBit(column: string, bit: number): Statement;
  /**
   * @param count null = no limit
   * @param passed a value in SQL: how many of the skipped rows the select lacks
   */
  limit(count: number | null, skip?: number, passed?: Statement): Statement;
  /** `eachSlot` reads any number of slots of one language at once, and each arm of a union may have its own limit. */
  readonly combinesSlots: boolean;
  /** The rows of `read`, a select with its own order and limit, for each of the slots. */
  eachSlot(slots: readonly number[], read: (slot: Statement) => Statement): Statement;
  /** A list as one parameter. */
  listOf(values: readonly number[]): SqlValue;
  /** The numbers of such a parameter as the table `j` with the column `value`, in their order. */
  readonly numbers: string;
  /** Looks up rows for each row of the tables before, in their order. */
  lookUp(table: string, alias: string, on: string): string;
  /** The values of all rows in order, with a comma between them. */
  concatenation(value: string): string;
  /** Text that is read as bytes; where that takes longer than text, as text. */
  bytes(text: string): string;
}
