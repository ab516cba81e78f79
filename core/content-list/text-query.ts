import { foldedWords } from '../model/folded-words.ts';
import type { TextQuery } from '../storage/full-text.ts';

/** A beginning of fewer characters stands for too many words; it counts as a whole one. */
const SHORTEST_BEGINNING = 3;
/** Words of a search; more are ignored. */
const MOST_WORDS = 20;

/**
 * Reads what a person typed: all words must occur, those between double quotes next to each other, and the last one may be the
 * beginning of a word. Every other character only separates words.
 * @returns undefined without a word
 */
export function readTextQuery(text: string): TextQuery | undefined {
  const phrases: string[][] = [];
  let count = 0;
  const add = (words: readonly string[]) => {
    const some = words.slice(0, MOST_WORDS - count);
    count += some.length;
    if (some.length > 0) phrases.push([...some]);
  };
  const parts = text.slice(0, 1000).split('"');
  for (const [index, part] of parts.entries()) {
    // Behind a quote that is not closed, too.
    if (index % 2 === 1) add(foldedWords(part));
    // `one-two` is a phrase.
    else for (const word of part.split(/\s+/)) add(foldedWords(word));
  }
  if (phrases.length === 0) return undefined;
  const isClosed = parts.length % 2 === 1 && parts.length > 1 && /^\s*$/.test(parts.at(-1) ?? '');
  const last = phrases.at(-1)?.at(-1) ?? '';
  const isOpen = last.length >= SHORTEST_BEGINNING && !isClosed && !/\s$/.test(text);
  return { phrases, isOpen };
}
