import type { Transaction } from '../../storage/ports.ts';
import type { Sql } from '../../storage/sql.ts';
import { ITEMS_LIMIT } from '../message.ts';

/**
 * Moves the cursor of an idle queue past events that its webhook did not choose: otherwise they could never be removed, and
 * would be sent once it chooses them.
 */
export async function passUnchosen(
  sql: Sql,
  webhook: string,
  write: (work: (tx: Transaction) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const row = await sql.get<{ queue: number; project: number; mask: number; cursor: number; part: number }>(
    `SELECT l.number AS queue, l.project AS project, l.mask AS mask, p.cursor AS cursor, p.part AS part
     FROM webhook_lane l JOIN webhook_progress p ON p.lane = l.number WHERE l.webhook = ? AND p.head IS NULL`,
    [webhook],
  );
  if (!row) return;
  const { queue, project, mask, cursor, part } = row;
  const wanted = await sql.get<{ number: number }>(
    `SELECT number FROM webhook_event WHERE project = ? AND number >= ? AND kind & ? <> 0
       AND (number > ? OR count > (? + 1) * ${ITEMS_LIMIT}) ORDER BY number LIMIT 1`,
    [project, cursor, mask, cursor, part],
  );
  const passed = await sql.get<{ number: number | null }>(
    'SELECT max(number) AS number FROM webhook_event WHERE project = ? AND number > ? AND number < ?',
    [project, cursor, wanted?.number ?? Number.MAX_SAFE_INTEGER],
  );
  const { number } = passed ?? {};
  if (number == null) return;
  await write((tx) =>
    tx.run(
      `UPDATE webhook_progress SET cursor = ?, part = 0 WHERE lane = ? AND cursor = ? AND part = ? AND head IS NULL`,
      [number, queue, cursor, part],
    ),
  );
}
