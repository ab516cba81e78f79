import type { SqlValue } from '../sql.ts';

/** `column IN (…)` with the values as one parameter. */
export function among(
  column: string,
  values: readonly (string | number)[],
): { text: string; parameter: SqlValue } {
  return { text: `${column} IN (SELECT value FROM json_each(?))`, parameter: JSON.stringify(values) };
}
