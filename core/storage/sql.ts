import type { TextMatches, TextPart, TextQuery } from './full-text.ts';

export type SqlValue = string | number | null | Uint8Array;

export type Row = Record<string, SqlValue>;

export interface Sql {
  all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]>;
  get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined>;
  /** `column IN (…)` for any number of values: text for the statement, and its one parameter. */
  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue };
  /**
   * `SELECT number …` of the rows of `listed` in a language whose words match.
   * @param within only rows that match there
   */
  matching(query: TextQuery, language: number, within?: TextPart): TextMatches;
}
