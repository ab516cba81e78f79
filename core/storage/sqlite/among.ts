import { refuseNullCharacters } from '../null-character.ts';
import type { SqlValue } from '../sql.ts';

/**
 * `column IN (…)` with the values as one parameter.
 * @throws ServiceError for a text with U+0000, which JSON escapes: it is not found in the parameter
 */
export function among(
  column: string,
  values: readonly (string | number)[],
): { text: string; parameter: SqlValue } {
  refuseNullCharacters(values);
  return { text: `${column} IN (SELECT value FROM json_each(?))`, parameter: JSON.stringify(values) };
}

export function rowsAsText(columns: readonly string[], from: string): string {
  return `(SELECT json_group_array(json_array(${columns.join(', ')})) ${from})`;
}
