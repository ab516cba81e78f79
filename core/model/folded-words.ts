import { WORD_LENGTH } from '../storage/full-text.ts';
import { beginning } from './text-length.ts';

/** Scripts without spaces between words: each character is a word, and what is searched a phrase of them. */
const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const WORDS = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const ASCII_WORDS = /[a-z0-9]+/g;
const ACCENTS = /[\u0300-\u036f]/g;
const NOT_ASCII = /[^ -~\s]/;

/** Without capitals, accents and compatibility forms, for comparing and sorting. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower)
    ? lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase()
    : lower;
}

/** Words of a text as full text has them: folded, of letters, digits and their marks. */
export function foldedWords(text: string): readonly string[] {
  const plain = folded(text);
  const words = plain.match(NOT_ASCII.test(plain) ? WORDS : ASCII_WORDS) ?? [];
  return words.map((word) => (word.length > WORD_LENGTH ? beginning(word, WORD_LENGTH) : word));
}
