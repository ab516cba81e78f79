import type { Sql, SqlValue } from '../../storage/sql.ts';
import { pairOf } from '../event-kinds.ts';
import type { LaneRow } from '../lanes/find-lane.ts';
import { LAST, listQueued } from '../lanes/queued.ts';
import { NOTIFICATION_STATE } from '../lanes/record-outcomes.ts';

export const NOTIFICATION_STATES = ['pending', 'delivered', 'dropped'] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number];

export interface LoggedAttempt {
  readonly at: string;
  /** null: no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** First 2 kB of the answer. */
  readonly answer: string | null;
  readonly error: string | null;
  /** Sent by hand: a test or a replay, outside the schedule. */
  readonly manual: boolean;
}

export interface LoggedNotification {
  /** `message.id`. */
  readonly id: string;
  readonly type: string;
  readonly operation: string;
  readonly state: NotificationState;
  readonly created: string;
  /** Why it was dropped. */
  readonly note: string | null;
  readonly attempts: readonly LoggedAttempt[];
  readonly nextAttempt: string | null;
  readonly place: Place;
}

/** Where a page goes on: in what waits (1, event, part), or in what was tried (0, number, 0). */
export type Place = readonly [section: number, at: number, part: number];
export const NEWEST: Place = [1, LAST.event, LAST.part];

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

const COLUMNS = 'number, id, state, kind, created, event, part, note, body';

/**
 * What a webhook was and is to be told, newest first. Three statements at most for a page of what was tried, each
 * along an index, however long the log is.
 */
export async function listNotifications(
  sql: Sql,
  lane: LaneRow,
  filter: { readonly state?: NotificationState; readonly before: Place; readonly limit: number },
): Promise<LoggedNotification[]> {
  const { state, before, limit } = filter;
  const [section, at, part] = before;
  const found: LoggedNotification[] = [];
  if (section === 1 && (state === undefined || state === 'pending')) {
    const queued = await listQueued(sql, lane, { event: at, part }, limit);
    for (const { position, ...one } of queued)
      found.push({
        ...one,
        state: 'pending',
        note: null,
        attempts: [],
        nextAttempt: null,
        place: [1, position.event, position.part],
      });
  }
  if (found.length >= limit) return found;
  const rows = await listTried(sql, lane.lane, {
    states: state === undefined ? NOTIFICATION_STATES : [state],
    before: section === 1 ? Number.MAX_SAFE_INTEGER : at,
    limit: limit - found.length,
  });
  return [...found, ...(await withAttempts(sql, lane, rows))];
}

async function listTried(
  sql: Sql,
  lane: number,
  filter: {
    readonly states: readonly NotificationState[];
    readonly before: number;
    readonly limit: number;
  },
): Promise<NotificationRow[]> {
  const parameters: SqlValue[] = [];
  const selects = filter.states.map((state) => {
    parameters.push(lane, NOTIFICATION_STATE[state], filter.before, filter.limit);
    return `SELECT * FROM (SELECT ${COLUMNS} FROM webhook_notification
      WHERE lane = ? AND state = ? AND number < ? ORDER BY number DESC LIMIT ?) AS ${state}`;
  });
  return sql.all<NotificationRow & Record<string, SqlValue>>(
    `${selects.join(' UNION ALL ')} ORDER BY number DESC LIMIT ?`,
    [...parameters, filter.limit],
  );
}

/** @returns undefined for one that was not tried yet, or is not of this lane */
export async function findTried(sql: Sql, lane: number, id: string): Promise<NotificationRow | undefined> {
  return sql.get<NotificationRow & Record<string, SqlValue>>(
    `SELECT ${COLUMNS} FROM webhook_notification WHERE id = ? AND lane = ? ORDER BY number DESC`,
    [id.toLowerCase(), lane],
  );
}

async function withAttempts(
  sql: Sql,
  lane: LaneRow,
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
    nextAttempt: row.number === lane.head ? lane.nextDue : null,
    place: [0, row.number, 0],
  }));
}
