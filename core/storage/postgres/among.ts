import type { SqlValue } from '../sql.ts';
import { arrayLiteral } from './array-literal.ts';

/** `column IN (…)` with the values as one parameter. */
export function among(
  column: string,
  values: readonly (string | number)[],
): { text: string; parameter: SqlValue } {
  return { text: `${column} = ANY (?)`, parameter: arrayLiteral(values) };
}

export function rowsAsText(columns: readonly string[], from: string): string {
  return `(SELECT coalesce(json_agg(json_build_array(${columns.join(', ')})), '[]')::text ${from})`;
}
