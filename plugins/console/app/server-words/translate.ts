/** A part of a sentence, and its language where that is not the one of the page. */
export interface Words {
  readonly text: string;
  readonly lang?: 'en';
}

/** @returns undefined where the table has no such sentence */
export type Translate = (sentence: string) => readonly Words[] | undefined;

/** Longer ones are texts that somebody wrote, which no pattern needs to search. */
const LONGEST = 2000;

/** @param sentences by the ones of the server: see `sentences-de.ts` */
export function translator(sentences: Readonly<Record<string, string>>): Translate {
  const patterns = Object.entries(sentences).map(
    ([sentence, translation]) => [sentence.split('{}'), translation.split(/(\{\d!?\})/)] as const,
  );
  const translate: Translate = (sentence) => {
    if (sentence.length > LONGEST) return undefined;
    for (const [pieces, translation] of patterns) {
      const found = partsBetween(pieces, sentence);
      if (found)
        return joined(
          translation.flatMap((piece) => {
            const [, index, isPhrase] = /^\{(\d)(!?)\}$/.exec(piece) ?? [];
            if (index === undefined) return [{ text: piece }];
            const part = found[Number(index) - 1] ?? '';
            return isPhrase === '' ? [{ text: part }] : phrases(part);
          }),
        );
    }
    return undefined;
  };
  /** A sentence or phrase, or several behind each other; what the table does not know is English. */
  const phrases = (part: string): readonly Words[] =>
    translate(part) ??
    chained(
      '; ',
      part.split('; ').map((one) => [one, translate(one)]),
    );
  /** Each line is a sentence; a text in which none is known may be one whose parts have lines. */
  return (text) => {
    const lines = text.split('\n');
    if (lines.length === 1) return translate(text);
    const known = lines.map((line) => [line, translate(line)] as const);
    return known.some(([, words]) => words) ? joined(chained('\n', known)) : translate(text);
  };
}

/** Sentences behind each other, each with its translation; without one it is English. */
function chained(
  separator: string,
  sentences: readonly (readonly [string, readonly Words[] | undefined])[],
): readonly Words[] {
  return sentences.flatMap(([sentence, words], at) => [
    { text: at === 0 ? '' : separator },
    ...(words ?? [{ text: sentence, lang: 'en' as const }]),
  ]);
}

/** Those of one language behind each other are one. */
function joined(words: readonly Words[]): readonly Words[] {
  const all: Words[] = [];
  for (const one of words) {
    const last = all.at(-1);
    if (last && last.lang === one.lang) all[all.length - 1] = { ...last, text: last.text + one.text };
    else if (one.text !== '') all.push(one);
  }
  return all;
}

/**
 * What stands between the pieces of a sentence: never empty, and each as short as can be. A regular expression tries other lengths
 * as well, 0.8 s for a hostile sentence of 2,000 characters.
 */
function partsBetween([first = '', ...pieces]: readonly string[], sentence: string): string[] | undefined {
  if (!sentence.startsWith(first)) return undefined;
  const parts: string[] = [];
  let from = first.length;
  for (const [at, piece] of pieces.entries()) {
    const isLast = at === pieces.length - 1;
    const end = isLast ? sentence.length - piece.length : sentence.indexOf(piece, from + 1);
    if (end <= from || !sentence.startsWith(piece, end)) return undefined;
    parts.push(sentence.slice(from, end));
    from = end + piece.length;
  }
  return from === sentence.length ? parts : undefined;
}
