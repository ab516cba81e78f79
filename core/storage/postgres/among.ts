import type { SqlValue } from '../sql.ts';
import { arrayLiteral } from './array-literal.ts';

/** `column IN (…)` with the values as one parameter. */
export function among(
  column: string,
  values: readonly (string | number)[],
): { text: string; parameter: SqlValue } {
  return { text: `${column} = ANY (?)`, parameter: arrayLiteral(values) };
}
