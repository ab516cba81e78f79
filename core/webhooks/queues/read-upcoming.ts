import type { Storage } from '../../storage/ports.ts';
import type { Sql } from '../../storage/sql.ts';
import type { WebhookTriggers } from '../event-kinds.ts';
import { maskOf, pairOf, WORKFLOW_STEP_KIND } from '../event-kinds.ts';
import {
  type AffectedItem,
  ITEMS_LIMIT,
  type Message,
  type MovedItem,
  messageId,
  messageOfBody,
} from '../message.ts';
import type { Position, Upcoming } from './queue-types.ts';

/** Events per statement. */
const BATCH = 100;
const UNTRIED = { number: null, body: null, attempts: 0, firstAttempt: null };

export interface EventRow {
  readonly number: number;
  readonly kind: number;
  readonly count: number;
  readonly id: string;
  readonly created: string;
  readonly taxonomies: string;
  readonly items: string | null;
}

export const EVENT_COLUMNS = 'number, kind, count, id, created, taxonomies, items';

export interface Receiver {
  readonly webhook: string;
  readonly url: string;
  readonly projectId: string;
  readonly triggers: WebhookTriggers;
}

interface QueueState {
  readonly project: number;
  readonly project_id: string;
  readonly webhook: string;
  readonly url: string;
  readonly triggers: string;
  readonly cursor: number;
  readonly part: number;
  readonly head: number | null;
}

/** See `WebhookQueueStore.upcoming`. */
export async function readUpcoming(storage: Storage, queue: number, limit: number): Promise<Upcoming[]> {
  // Read first, so that notifications read before a restore carry the old epoch.
  const { sql, epoch } = storage;
  const state = await sql.get<QueueState>(
    `SELECT l.project AS project, j.id AS project_id, l.webhook AS webhook, w.url AS url, w.triggers AS triggers,
       p.cursor AS cursor, p.part AS part, p.head AS head
     FROM webhook_progress p JOIN webhook_lane l ON l.number = p.lane JOIN project j ON j.number = l.project
       JOIN webhook w ON w.id = l.webhook WHERE p.lane = ?`,
    [queue],
  );
  if (!state) return [];
  const receiver: Receiver = {
    webhook: state.webhook,
    url: state.url,
    projectId: state.project_id,
    triggers: JSON.parse(state.triggers),
  };
  const found: Upcoming[] = [];
  let at: Position = { event: state.cursor, part: state.part };
  const head = state.head === null ? undefined : await headOf(sql, state.head, epoch);
  if (head) {
    found.push(head);
    at = head.position;
  }
  while (found.length < limit) {
    const batch = Math.min(BATCH, limit - found.length);
    const events = await nextEvents(sql, state.project, at, maskOf(receiver.triggers), batch);
    for (const event of events) {
      for (let part = event.number === at.event ? at.part + 1 : 0; part < partsOf(event); part++) {
        if (found.length === limit) return found;
        const message = await messageOf(sql, receiver, event, part);
        at = { event: event.number, part };
        if (message) found.push({ ...UNTRIED, position: at, message, epoch });
      }
    }
    if (events.length < batch) break;
  }
  // Skips events that the webhook did not choose, so that they are not read again.
  if (found.length === 0 && at.event > state.cursor)
    await storage.write((tx) =>
      tx.run('UPDATE webhook_progress SET cursor = ?, part = ? WHERE lane = ? AND cursor = ? AND part = ?', [
        at.event,
        at.part,
        queue,
        state.cursor,
        state.part,
      ]),
    );
  return found;
}

function nextEvents(
  sql: Sql,
  project: number,
  at: Position,
  mask: number,
  limit: number,
): Promise<EventRow[]> {
  return sql.all<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM webhook_event
     WHERE project = ? AND number >= ? AND kind & ? <> 0 AND (number > ? OR count > ? * ${ITEMS_LIMIT})
     ORDER BY number LIMIT ? + 0`,
    [project, at.event, mask, at.event, at.part + 1, limit],
  );
}

/** Number of notifications that report the event. */
export function partsOf({ count }: Pick<EventRow, 'count'>): number {
  return Math.max(1, Math.ceil(count / ITEMS_LIMIT));
}

/** Returns undefined when the receiver chose nothing of the event. */
export async function messageOf(
  sql: Sql,
  receiver: Receiver,
  event: EventRow,
  part: number,
): Promise<Message | undefined> {
  const start = part * ITEMS_LIMIT;
  const end = start + ITEMS_LIMIT;
  const items =
    event.items !== null
      ? // The last part has all the rest: events of earlier versions have one part.
        (JSON.parse(event.items) as (AffectedItem | MovedItem)[]).slice(
          start,
          end < event.count ? end : undefined,
        )
      : await sql.all<AffectedItem>(
          `SELECT id, codename, language, type FROM webhook_affected
           WHERE event = ? AND place >= ? AND place < ? ORDER BY place`,
          [event.number, start, end],
        );
  const isWorkflow = event.kind === WORKFLOW_STEP_KIND;
  const chosen = isWorkflow ? movedInto(items as MovedItem[], receiver.triggers) : items;
  if (isWorkflow && chosen.length === 0) return undefined;
  return {
    id: messageId(event.id, receiver.webhook, part),
    ...pairOf(event.kind),
    apiName: isWorkflow ? 'content_management' : 'delivery_production',
    projectId: receiver.projectId,
    created: event.created,
    url: receiver.url,
    items: chosen,
    taxonomies: JSON.parse(event.taxonomies),
  };
}

/** A trigger without steps covers every step. */
function movedInto(items: readonly MovedItem[], { workflowSteps }: WebhookTriggers): MovedItem[] {
  return items.filter(({ to }) =>
    workflowSteps.some(({ transitionsTo }) => transitionsTo.length === 0 || transitionsTo.includes(to)),
  );
}

/** Needs no event: the bytes of the first attempt are stored. */
async function headOf(sql: Sql, number: number, epoch: string): Promise<Upcoming> {
  const row = await sql.get<{
    event: number;
    part: number;
    attempts: number;
    first_attempt: string | null;
    body: string | null;
  }>('SELECT event, part, attempts, first_attempt, body FROM webhook_notification WHERE number = ?', [
    number,
  ]);
  // Sending the next notification would repeat it for ever: nothing can be recorded before the head is settled.
  if (!row || row.body === null)
    throw new Error(`The notification ${number}, which blocks its queue, is damaged.`);
  return {
    position: { event: row.event, part: row.part },
    number,
    message: messageOfBody(row.body),
    body: row.body,
    attempts: row.attempts,
    firstAttempt: row.first_attempt,
    epoch,
  };
}
