import type { Sql, SqlValue } from '../../storage/sql.ts';
import { pairOf } from '../event-kinds.ts';
import type { WebhookQueue } from '../queues/find-webhook-queue.ts';
import { LAST, listQueued } from '../queues/list-queued.ts';
import { NOTIFICATION_STATE } from '../queues/record-outcomes.ts';

export const NOTIFICATION_STATES = ['pending', 'delivered', 'dropped'] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number];

export interface LoggedAttempt {
  readonly at: string;
  /** null = no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** First 2 kB of the answer. */
  readonly answer: string | null;
  readonly error: string | null;
  /** A test or a manual replay, outside the schedule. */
  readonly manual: boolean;
}

export interface LoggedNotification {
  /** `message.id`. */
  readonly id: string;
  readonly type: string;
  readonly operation: string;
  readonly state: NotificationState;
  readonly created: string;
  /** Why the notification was dropped. */
  readonly note: string | null;
  readonly attempts: readonly LoggedAttempt[];
  readonly nextAttempt: string | null;
  readonly cursor: LogCursor;
}

/** Start of a page: among queued notifications (1, event, part) or among attempted ones (0, number, 0). */
export type LogCursor = readonly [section: number, at: number, part: number];
export const NEWEST: LogCursor = [1, LAST.event, LAST.part];

export interface NotificationRow {
  readonly number: number;
  readonly id: string;
  readonly state: number;
  readonly kind: number;
  readonly created: string;
  readonly event: number | null;
  readonly part: number;
  readonly note: string | null;
  readonly body: string | null;
}

/** Columns of a `NotificationRow`. */
export const LOGGED_COLUMNS = 'number, id, state, kind, created, event, part, note, body';

/**
 * Lists the notifications of a webhook, newest first. A page takes at most three statements for attempted ones, each
 * on an index, however long the log is.
 */
export async function listNotifications(
  sql: Sql,
  queue: WebhookQueue,
  filter: { readonly state?: NotificationState; readonly before: LogCursor; readonly limit: number },
): Promise<LoggedNotification[]> {
  const { state, before, limit } = filter;
  const [section, at, part] = before;
  const found: LoggedNotification[] = [];
  if (section === 1 && (state === undefined || state === 'pending')) {
    const queued = await listQueued(sql, queue, { event: at, part }, limit);
    for (const { position, ...one } of queued)
      found.push({
        ...one,
        state: 'pending',
        note: null,
        attempts: [],
        nextAttempt: null,
        cursor: [1, position.event, position.part],
      });
  }
  if (found.length >= limit) return found;
  const rows = await listAttempted(sql, queue.number, {
    states: state === undefined ? NOTIFICATION_STATES : [state],
    before: section === 1 ? Number.MAX_SAFE_INTEGER : at,
    limit: limit - found.length,
  });
  return [...found, ...(await logged(sql, queue, rows))];
}

async function listAttempted(
  sql: Sql,
  queue: number,
  filter: {
    readonly states: readonly NotificationState[];
    readonly before: number;
    readonly limit: number;
  },
): Promise<NotificationRow[]> {
  const parameters: SqlValue[] = [];
  const selects = filter.states.map((state) => {
    parameters.push(queue, NOTIFICATION_STATE[state], filter.before, filter.limit);
    return `SELECT * FROM (SELECT ${LOGGED_COLUMNS} FROM webhook_notification
      WHERE lane = ? AND state = ? AND number < ? ORDER BY number DESC LIMIT ?) AS ${state}`;
  });
  return sql.all<NotificationRow>(`${selects.join(' UNION ALL ')} ORDER BY number DESC LIMIT ?`, [
    ...parameters,
    filter.limit,
  ]);
}

/** @returns undefined for a notification that was never attempted or belongs to another queue */
export async function findAttempted(
  sql: Sql,
  queue: number,
  id: string,
): Promise<NotificationRow | undefined> {
  return sql.get<NotificationRow>(
    `SELECT ${LOGGED_COLUMNS} FROM webhook_notification WHERE id = ? AND lane = ? ORDER BY number DESC`,
    [id.toLowerCase(), queue],
  );
}

/** Attempted notifications with their attempts. */
export async function logged(
  sql: Sql,
  queue: WebhookQueue,
  rows: readonly NotificationRow[],
): Promise<LoggedNotification[]> {
  if (rows.length === 0) return [];
  const among = sql.among(
    'notification',
    rows.map(({ number }) => number),
  );
  const attempts = await sql.all<{
    notification: number;
    at: string;
    duration_ms: number;
    status: number | null;
    manual: number;
    error: string | null;
    answer: string | null;
  }>(
    `SELECT notification, at, duration_ms, status, manual, error, answer FROM webhook_attempt
     WHERE ${among.text} ORDER BY notification, ordinal`,
    [among.parameter],
  );
  const byNotification = new Map<number, LoggedAttempt[]>(rows.map(({ number }) => [number, []]));
  for (const { notification, at, duration_ms, status, manual, error, answer } of attempts)
    byNotification
      .get(notification)
      ?.push({ at, status, durationMs: duration_ms, answer, error, manual: manual === 1 });
  return rows.map((row) => ({
    id: row.id,
    ...pairOf(row.kind),
    state: NOTIFICATION_STATES[row.state] ?? 'pending',
    created: row.created,
    note: row.note,
    attempts: byNotification.get(row.number) ?? [],
    nextAttempt: row.number === queue.head ? queue.nextDue : null,
    cursor: [0, row.number, 0],
  }));
}
