import type { Numbered } from '../ports.ts';
import type { Connection } from './connection.ts';

const NUMBERED: readonly Exclude<Numbered, 'field'>[] = [
  'project',
  'language',
  'content_type',
  'snippet',
  'taxonomy',
  'item',
  'variant',
  'version',
  'asset',
  'document',
  'webhook_lane',
  'webhook_notification',
];

/** The highest number of each table; fields live inside their types. */
export async function numbersInUse(connection: Connection): Promise<Map<Numbered, number>> {
  const numbers = new Map<Numbered, number>();
  for (const table of NUMBERED) {
    const row = await connection.get<{ top: number | null }>(`SELECT max(number) AS top FROM ${table}`);
    numbers.set(table, row?.top ?? 0);
  }
  const field = await connection.get<{ top: number | null }>(
    'SELECT max(f.value) AS top FROM content_type t, json_each(t.fields) f',
  );
  // A deleted type's fields may have been higher; their index rows went with them.
  numbers.set('field', field?.top ?? 0);
  return numbers;
}
