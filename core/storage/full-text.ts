/** A search in full text; its words are folded like those of the texts. */
export interface TextQuery {
  /** All must occur; the words of a phrase next to each other. */
  readonly phrases: readonly (readonly string[])[];
  /** The last word of the last phrase is the beginning of a word. */
  readonly isOpen: boolean;
}

/** `name`: the words of the name match; `beyond the name`: only other words, or others together with those. */
export type TextPart = 'name' | 'beyond the name';

/** Words of the text of one row that are searched; the rest is not found. */
export const MOST_WORDS = 16_000;
/** Characters of a word; the rest of a longer one is not compared. */
export const WORD_LENGTH = 60;

/** What full text has under a number: words that are folded and separated by spaces. */
export interface TextRow {
  readonly number: number;
  readonly name: string;
  /** Of the name and everything else; empty: the row is removed. */
  readonly words: string;
}

/** `SELECT` of the numbers of the rows that match. */
export interface TextMatches {
  readonly text: string;
  readonly parameters: readonly (string | number)[];
}
