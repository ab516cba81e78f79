import type { StoredDocument } from '../page-plan.ts';
import type { ResolvedItems } from '../ports.ts';
import type { Sql } from '../sql.ts';
import { bytesOf } from './bytes-of.ts';
import type { Listings } from './listings.ts';

type DocumentRow = Omit<StoredDocument, 'body'> & { body: Uint8Array | string };

export async function readDocuments(
  sql: Pick<Sql, 'all'>,
  { dialect, documents }: Listings,
  numbers: readonly number[],
): Promise<StoredDocument[]> {
  const rows = await sql.all<DocumentRow>(documents.documents, [dialect.listOf(numbers)]);
  for (const row of rows) row.body = bytesOf(row.body);
  return rows as StoredDocument[];
}

export async function resolveItems(
  sql: Pick<Sql, 'get'>,
  { dialect, documents }: Listings,
  project: number,
  view: number,
  items: readonly number[],
): Promise<ResolvedItems> {
  const parameters = [dialect.listOf(items), view, project];
  const row = await sql.get<{ sequence: number; resolved: string | null }>(documents.resolve, parameters);
  const found = new Map<number, number>();
  const numbers = row?.resolved ? row.resolved.split(',').map(Number) : [];
  for (let index = 0; index < numbers.length; index += 2)
    found.set(numbers[index] ?? 0, numbers[index + 1] ?? 0);
  return { sequence: row?.sequence ?? -1, documents: found };
}
