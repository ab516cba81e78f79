export type SqlValue = string | number | null | Uint8Array;

export type Row = Record<string, SqlValue>;

export interface Sql {
  all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]>;
  get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined>;
  /** `column IN (…)` for any number of values: text for the statement, and its one parameter. */
  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue };
}
