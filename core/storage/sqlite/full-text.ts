import type { TextMatches, TextPart, TextQuery } from '../full-text.ts';
import { listedRange } from '../listed-rows.ts';

/** The words are letters and digits, so the text has no syntax but this. */
export function matching({ phrases, isOpen }: TextQuery, language: number, within?: TextPart): TextMatches {
  const terms = `(${phrases.map((words) => `"${words.join(' ')}"`).join(' AND ')}${isOpen ? ' *' : ''})`;
  const expressions = {
    all: `words : ${terms}`,
    name: `name : ${terms}`,
    'beyond the name': `(words : ${terms}) NOT (name : ${terms})`,
  };
  return {
    text: 'SELECT rowid AS number FROM full_text WHERE full_text MATCH ? AND rowid BETWEEN ? AND ?',
    parameters: [expressions[within ?? 'all'], ...listedRange(language)],
  };
}
