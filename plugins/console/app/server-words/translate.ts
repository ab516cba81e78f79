/** @returns undefined where the table has no such sentence */
export type Translate = (sentence: string) => string | undefined;

/** Longer ones are texts that somebody wrote, which no pattern needs to search. */
const LONGEST = 2000;

/** @param sentences by the ones of the server: see `sentences-de.ts` */
export function translator(sentences: Readonly<Record<string, string>>): Translate {
  const patterns = Object.entries(sentences).map(
    ([sentence, translation]) => [sentence.split('{}'), translation] as const,
  );
  const translate: Translate = (sentence) => {
    if (sentence.length > LONGEST) return undefined;
    for (const [pieces, translation] of patterns) {
      const found = partsBetween(pieces, sentence);
      if (found)
        return translation.replace(/\{(\d)(!?)\}/g, (_, index: string, isPhrase: string) => {
          const part = found[Number(index) - 1] ?? '';
          return isPhrase === '' ? part : phrases(part);
        });
    }
    return undefined;
  };
  /** A sentence or phrase, or several behind each other. */
  const phrases = (part: string) =>
    translate(part) ??
    part
      .split('; ')
      .map((one) => translate(one) ?? one)
      .join('; ');
  return translate;
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
