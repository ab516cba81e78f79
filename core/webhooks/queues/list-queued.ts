import type { Sql } from '../../storage/sql.ts';
import { maskOf, pairOf, WORKFLOW_STEP_KIND } from '../event-kinds.ts';
import { messageId } from '../message.ts';
import type { WebhookQueue } from './find-webhook-queue.ts';
import type { Position } from './queue-types.ts';
import { EVENT_COLUMNS, type EventRow, messageOf, partsOf } from './read-upcoming.ts';

/** A notification behind the head of its queue; it has no row yet. */
export interface QueuedNotification {
  readonly id: string;
  readonly type: string;
  readonly operation: string;
  readonly created: string;
  readonly position: Position;
}

const BATCH = 200;
/** After every event. */
export const LAST: Position = { event: Number.MAX_SAFE_INTEGER, part: 0 };

/** Lists waiting notifications before a position, newest first. */
export async function listQueued(
  sql: Sql,
  queue: WebhookQueue,
  before: Position,
  limit: number,
): Promise<QueuedNotification[]> {
  const found: QueuedNotification[] = [];
  const first = await firstQueued(sql, queue);
  for (let at = before; found.length < limit; ) {
    const events = await sql.all<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM webhook_event
       WHERE project = ? AND number >= ? AND number <= ? AND kind & ? <> 0 ORDER BY number DESC LIMIT ${BATCH}`,
      [queue.project, first.event, at.part > 0 ? at.event : at.event - 1, maskOf(queue.triggers)],
    );
    for (const event of events) {
      const parts = event.number === at.event ? at.part : partsOf(event);
      for (let part = parts - 1; part >= 0; part--) {
        if (found.length === limit) return found;
        if (event.number === first.event && part < first.part) break;
        if (event.kind === WORKFLOW_STEP_KIND && !(await messageOf(sql, queue, event, part))) continue;
        found.push({
          id: messageId(event.id, queue.webhook, part),
          ...pairOf(event.kind),
          created: event.created,
          position: { event: event.number, part },
        });
      }
    }
    const last = events.at(-1);
    if (!last || events.length < BATCH) break;
    at = { event: last.number, part: 0 };
  }
  return found;
}

/** Position of the first notification that was never attempted. */
async function firstQueued(sql: Sql, { head, cursor, part }: WebhookQueue): Promise<Position> {
  const blocked =
    head === null
      ? undefined
      : await sql.get<{ event: number; part: number }>(
          'SELECT event, part FROM webhook_notification WHERE number = ?',
          [head],
        );
  const settled = blocked ?? { event: cursor, part };
  return { event: settled.event, part: settled.part + 1 };
}
