/** Longer than names are; SQLite takes patterns of 50,000 bytes. */
const LONGEST = 1000;

/** Pattern of LIKE with `ESCAPE '\'` for what contains the text in lower case; of a longer one, its beginning. */
export function containing(text: string): string {
  const beginning = text.slice(0, LONGEST).toLowerCase();
  return `%${beginning.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
