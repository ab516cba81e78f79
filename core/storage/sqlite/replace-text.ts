import { jsonText } from '../../turns/json-bytes.ts';
import type { TextRow } from '../full-text.ts';
import type { Writer } from '../write-transaction.ts';

export async function replaceText(writer: Pick<Writer, 'run'>, rows: readonly TextRow[]): Promise<void> {
  const json = await jsonText(rows);
  await writer.run(
    `DELETE FROM full_text WHERE rowid IN (SELECT value ->> 'number' FROM jsonb_each(?) WHERE value ->> 'words' = '')`,
    [json],
  );
  await writer.run(
    `INSERT OR REPLACE INTO full_text (rowid, name, words)
     SELECT value ->> 'number', value ->> 'name', value ->> 'words' FROM jsonb_each(?) WHERE value ->> 'words' <> ''`,
    [json],
  );
}
