import { jsonText } from '../../turns/json-bytes.ts';
import type { TextMatches, TextPart, TextQuery, TextRow } from '../full-text.ts';
import { listedRange } from '../listed-rows.ts';
import type { Connection } from './connection.ts';

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

export async function replaceText(writer: Connection, rows: readonly TextRow[]): Promise<void> {
  const json = await jsonText(rows);
  await writer.run(
    `DELETE FROM full_text WHERE rowid IN (SELECT value ->> 'number' FROM json_each(?) WHERE value ->> 'words' = '')`,
    [json],
  );
  await writer.run(
    `INSERT OR REPLACE INTO full_text (rowid, name, words)
     SELECT value ->> 'number', value ->> 'name', value ->> 'words' FROM json_each(?) WHERE value ->> 'words' <> ''`,
    [json],
  );
}
