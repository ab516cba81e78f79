import type { TextMatches, TextPart, TextQuery } from '../full-text.ts';
import { listedRange } from '../listed-rows.ts';

const CONDITIONS = {
  all: 'f.words @@ q.terms',
  name: 'f.name @@ q.terms',
  'beyond the name': 'f.words @@ q.terms AND NOT f.name @@ q.terms',
};

/**
 * The words are letters and digits, so the text has no syntax but this. They are part of the statement: the planner knows how
 * frequent each word is then, and joins many matches in other ways than few. With a parameter it would expect one match.
 */
export function matching({ phrases, isOpen }: TextQuery, language: number, within?: TextPart): TextMatches {
  const terms = phrases.map((words) => words.map((word) => `'${word}'`).join(' <-> '));
  const query = `(${terms.join(') & (')}${isOpen ? ':*' : ''})`.replaceAll("'", "''");
  const [first, last] = listedRange(language);
  return {
    text: `SELECT f.number AS number FROM full_text f, (SELECT '${query}'::tsquery AS terms) q
      WHERE ${CONDITIONS[within ?? 'all']} AND f.number BETWEEN ${first} AND ${last}`,
    parameters: [],
  };
}

/** Bytes of the words and positions of a `tsvector` are below 1 MB. */
const MOST_BYTES = 1_000_000;
/** Positions that a `tsvector` keeps of a word. */
const MOST_POSITIONS = 256;

/** A `tsvector` of words that are separated by spaces, as text. */
export function tsvectorText(words: string): string {
  const positions = new Map<string, number[]>();
  let bytes = 0;
  for (const [index, word] of words.split(' ').entries()) {
    if (word === '') continue;
    const known = positions.get(word);
    bytes += known ? 2 : 8 + Buffer.byteLength(word);
    if (bytes > MOST_BYTES) break;
    if (!known) positions.set(word, [index + 1]);
    else if (known.length < MOST_POSITIONS) known.push(index + 1);
  }
  let text = '';
  for (const [word, at] of positions) text += `'${word}':${at.join(',')} `;
  return text;
}
