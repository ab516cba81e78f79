import type { Sql, SqlValue } from '../storage/sql.ts';

/** Text of SQL with its parameters. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly SqlValue[];
}

export function sql(text: string, ...parameters: SqlValue[]): Statement {
  return { text, parameters };
}

/** `column IN (…)` for few values: unlike `among`, it is compared with the entries of an index. */
export function oneOf(column: string, values: readonly SqlValue[]): Statement {
  return sql(`${column} IN (${values.map(() => '?').join(', ')})`, ...values);
}

export function among(tx: Sql, column: string, values: readonly (string | number)[]): Statement {
  const { text, parameter } = tx.among(column, values);
  return sql(text, parameter);
}

/** What follows `ORDER BY`. */
export function orderBy(columns: readonly string[], descending: boolean): string {
  return columns.map((column) => `${column}${descending ? ' DESC' : ''}`).join(', ');
}

export function allOf(conditions: readonly Statement[]): Statement {
  return sql(
    conditions.map(({ text }) => text).join(' AND '),
    ...conditions.flatMap(({ parameters }) => parameters),
  );
}
