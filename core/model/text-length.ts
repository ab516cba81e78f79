/**
 * The number of characters of a text, as JSON Schema counts them: one beyond U+FFFF, such as an emoji, is one character in
 * two UTF-16 units.
 */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The beginning of a text in at most so many UTF-16 units, and not between the halves of a character. */
export function beginning(text: string, units: number): string {
  return text.slice(0, (text.charCodeAt(units - 1) & 0xfc00) === 0xd800 ? units - 1 : units);
}

/** Whether a text has more characters than `limit`; counts them only where their number may decide. */
export function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && (text.length > 2 * limit || characterCount(text) > limit);
}
