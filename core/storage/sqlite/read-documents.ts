import type { StoredDocument } from '../page-plan.ts';
import type { ResolvedItems } from '../ports.ts';
import type { Row } from '../sql.ts';
import type { Connection } from './connection.ts';

/** Bodies are read as bytes: decoding 100 documents to text and encoding them again takes 0.3 ms. */
export function readDocuments(connection: Connection, numbers: readonly number[]): Promise<StoredDocument[]> {
  return connection.all<StoredDocument & Row>(
    `SELECT d.number AS number, d.item AS item, i.codename AS codename, d.type AS type,
       cast(d.body AS BLOB) AS body, d.components AS components, d.layout AS layout
     FROM json_each(?) j CROSS JOIN document d ON d.number = j.value CROSS JOIN item i ON i.number = d.item`,
    [JSON.stringify(numbers)],
  );
}

export async function resolveItems(
  connection: Connection,
  project: number,
  view: number,
  items: readonly number[],
): Promise<ResolvedItems> {
  const row = await connection.get<{ sequence: number; resolved: string | null }>(
    `SELECT p.sequence AS sequence, (SELECT group_concat(r.item || ',' || r.document)
       FROM json_each(?) j CROSS JOIN resolved r ON r.view = ? AND r.item = j.value) AS resolved
     FROM project p WHERE p.number = ?`,
    [JSON.stringify(items), view, project],
  );
  const documents = new Map<number, number>();
  const numbers = row?.resolved ? row.resolved.split(',').map(Number) : [];
  for (let index = 0; index < numbers.length; index += 2)
    documents.set(numbers[index] ?? 0, numbers[index + 1] ?? 0);
  return { sequence: row?.sequence ?? -1, documents };
}
