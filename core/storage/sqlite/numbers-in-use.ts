import { NUMBERED_TABLES, type Numbered } from '../ports.ts';
import type { Connection } from './connection.ts';

/** The highest number in use of each table, and of fields. */
export async function numbersInUse(connection: Connection): Promise<Map<Numbered, number>> {
  const numbers = new Map<Numbered, number>();
  for (const table of NUMBERED_TABLES) {
    const row = await connection.get<{ top: number | null }>(`SELECT max(number) AS top FROM ${table}`);
    numbers.set(table, row?.top ?? 0);
  }
  const field = await connection.get<{ top: number | null }>(
    'SELECT max(f.value) AS top FROM content_type t, json_each(t.fields) f',
  );
  // Fields of a deleted type may have been higher; their index rows were deleted with them.
  numbers.set('field', field?.top ?? 0);
  return numbers;
}
