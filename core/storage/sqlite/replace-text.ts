import { jsonText } from '../../turns/json-bytes.ts';
import type { TextRow } from '../full-text.ts';
import type { Connection } from './connection.ts';

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
