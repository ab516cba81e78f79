import { jsonText } from '../../turns/json-bytes.ts';
import type { SqlValue } from '../sql.ts';

/** Half of a surrogate pair, escaped. */
const HALF = /\\ud[89a-f]/i;

/** Rows as JSON. PostgreSQL refuses half a surrogate pair there; as a parameter it becomes U+FFFD, and so it does here. */
export async function rowsText(rows: readonly (readonly SqlValue[])[]): Promise<string> {
  const text = await jsonText(rows);
  if (!HALF.test(text)) return text;
  const whole = (value: SqlValue) => (typeof value === 'string' ? Buffer.from(value).toString() : value);
  return jsonText(rows.map((row) => row.map(whole)));
}
