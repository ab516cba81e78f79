import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

export interface StatementText {
  /** With `$1`, `$2` … in place of `?`. */
  readonly text: string;
  /** Name of the prepared statement; without one the server does not keep it. */
  readonly name?: string;
}

const CACHED_CHARACTERS = 4_000_000;
/** In statements that contain the words of a search: most of them run once. */
const WORDS = '::tsquery';
/** A text, a name or a comment in SQL, which may hold a question mark; or a parameter. */
const PARTS = /'[^']*'|"[^"]*"|--[^\n]*|\?/g;

const known = new LRUCache<string, StatementText>({
  max: 5000,
  maxSize: CACHED_CHARACTERS,
  sizeCalculation: (_, text) => text.length,
});

/** A statement in the form of the port, in that of PostgreSQL. */
export function statementText(text: string): StatementText {
  const found = known.get(text);
  if (found) return found;
  let parameters = 0;
  const made = {
    text: text.replace(PARTS, (part) => (part === '?' ? `$${++parameters}` : part)),
    ...(!text.includes(WORDS) && {
      name: createHash('sha256').update(text).digest('base64url').slice(0, 22),
    }),
  };
  known.set(text, made);
  return made;
}
