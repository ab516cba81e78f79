/** @returns undefined where the table has no such sentence */
export type Translate = (sentence: string) => string | undefined;

/** Longer ones are texts that somebody wrote, which no pattern needs to search. */
const LONGEST = 2000;

/** @param sentences by the ones of the server: see `sentences-de.ts` */
export function translator(sentences: Readonly<Record<string, string>>): Translate {
  const patterns = Object.entries(sentences).map(([sentence, translation]) => ({
    pattern: new RegExp(`^${sentence.split('{}').map(escapePattern).join('(.+?)')}$`, 's'),
    translation,
  }));
  const translate: Translate = (sentence) => {
    if (sentence.length > LONGEST) return undefined;
    for (const { pattern, translation } of patterns) {
      const found = pattern.exec(sentence);
      if (found)
        return translation.replace(/\{(\d)(!?)\}/g, (_, index: string, isPhrase: string) => {
          const part = found[Number(index)] ?? '';
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

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
