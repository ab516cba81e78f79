import type { Transaction } from '../../storage/ports.ts';
import type { SqlValue } from '../../storage/sql.ts';
import { kindOf } from '../event-kinds.ts';
import type { Outcome, Position, QueueProgress, RecordedAttempt } from './queue-types.ts';

/** States as stored. */
export const NOTIFICATION_STATE = { pending: 0, delivered: 1, dropped: 2 } as const;

interface Progress extends QueueProgress {
  readonly queue: number;
}

interface ProgressRow extends Omit<Progress, 'next_due'> {
  readonly owner: string | null;
}

/** Owner, database and end of the leases. */
interface Lease {
  readonly owner: string;
  readonly epoch: string;
  readonly until: string;
}

/**
 * See `WebhookQueueStore.record`: a few statements for any number of queues. The writing statements run
 * concurrently: each alone waits for a turn of the event loop, which all connections share, and the queues wait for
 * the last of them. One after another, 50 queues delivered a third less.
 */
export async function recordOutcomes(
  tx: Transaction,
  lease: Lease,
  outcomes: readonly Outcome[],
): Promise<RecordedAttempt[]> {
  const among = tx.among(
    'lane',
    outcomes.map(({ queue }) => queue),
  );
  const rows = await tx.all<ProgressRow>(
    `SELECT lane AS queue, cursor, part, head, failing_since, dead_since, owner FROM webhook_progress WHERE ${among.text}`,
    [among.parameter],
  );
  const before = new Map(rows.map((row) => [row.queue, row]));
  const tried = outcomes.filter(
    ({ notification }) => notification.number !== null && notification.epoch === lease.epoch,
  );
  const stored = await storedAttempts(tx, tried);
  const held = outcomes.filter(
    (outcome) => holds(before.get(outcome.queue), lease, outcome) && !isRestarted(outcome, stored),
  );
  const numbers = await numbersOf(tx, held);
  // An operator skipped it or made it due during the attempt: the attempt is recorded, and the queue does not change.
  const late = tried.filter((one) => !held.includes(one) && stored.has(one.notification.number ?? 0));
  const after = held.map((outcome) =>
    progressAfter(before.get(outcome.queue), outcome, numbers.get(outcome)),
  );
  const written = await Promise.allSettled([
    insertNotifications(tx, held, numbers),
    ...updateNotifications(tx, held),
    insertAttempts(tx, [...held, ...late], numbers, stored),
    replaceProgress(tx, lease, after),
  ]);
  // No statement may still run when the transaction is rolled back.
  for (const one of written) if (one.status === 'rejected') throw one.reason;
  const afterByQueue = new Map(after.map((state) => [state.queue, state]));
  return outcomes.map(({ queue }) => {
    const was = before.get(queue);
    const is = afterByQueue.get(queue);
    return {
      queue,
      lease: is ? 'held' : 'lost',
      failingSince: [was?.failing_since ?? null, (is ?? was)?.failing_since ?? null],
      deadSince: [was?.dead_since ?? null, (is ?? was)?.dead_since ?? null],
    };
  });
}

/** The lease is still valid, and no operator moved the queue past this notification. */
function holds(row: ProgressRow | undefined, { owner, epoch }: Lease, { notification }: Outcome): boolean {
  if (!row || row.owner !== owner || row.head !== notification.number) return false;
  if (notification.epoch !== epoch) return false;
  return isBehind(row, notification.position);
}

function isBehind({ cursor, part }: ProgressRow, position: Position): boolean {
  return position.event > cursor || (position.event === cursor && position.part > part);
}

/** The webhook was enabled or got another URL during the attempt that failed: its three days begin again, now. */
function isRestarted(
  { notification, result }: Outcome,
  stored: ReadonlyMap<number, StoredAttempts>,
): boolean {
  const { attempts = notification.attempts } = stored.get(notification.number ?? 0) ?? {};
  return result.state !== 'delivered' && attempts < notification.attempts;
}

function progressAfter(row: ProgressRow | undefined, outcome: Outcome, number: number | undefined): Progress {
  const { queue, notification, attempt, result } = outcome;
  const failing_since = result.state === 'delivered' ? null : (row?.failing_since ?? attempt.at);
  const dead_since =
    result.state === 'delivered'
      ? null
      : result.state === 'dropped'
        ? (row?.dead_since ?? attempt.at)
        : (row?.dead_since ?? null);
  if (result.state === 'pending')
    return {
      queue,
      cursor: row?.cursor ?? 0,
      part: row?.part ?? 0,
      head: number ?? null,
      next_due: result.due,
      failing_since,
      dead_since,
    };
  const { event, part } = notification.position;
  return { queue, cursor: event, part, head: null, next_due: null, failing_since, dead_since };
}

/** Existing numbers, or new ones. */
async function numbersOf(
  tx: Transaction,
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<Outcome, number>> {
  const fresh = outcomes.filter(({ notification }) => notification.number === null).length;
  let next = fresh > 0 ? await tx.numbers('webhook_notification', fresh) : 0;
  return new Map(outcomes.map((outcome) => [outcome, outcome.notification.number ?? next++]));
}

function insertNotifications(
  tx: Transaction,
  outcomes: readonly Outcome[],
  numbers: ReadonlyMap<Outcome, number>,
): Promise<void> {
  const fresh = outcomes.filter(({ notification }) => notification.number === null);
  const rows = fresh.map((outcome): SqlValue[] => {
    const { queue, notification, body, attempt, result } = outcome;
    const { message, position } = notification;
    return [
      numbers.get(outcome) ?? 0,
      queue,
      NOTIFICATION_STATE[result.state],
      message.id,
      position.event,
      position.part,
      kindOf(message.type, message.operation),
      message.created,
      attempt.at,
      1,
      result.state === 'dropped' ? result.note : null,
      // A delivered body can be rebuilt from the event.
      result.state === 'delivered' ? null : body,
    ];
  });
  return tx.insert('webhook_notification', NOTIFICATION_COLUMNS, rows);
}

/** Runs one statement for all notifications with the same result. */
function updateNotifications(tx: Transaction, outcomes: readonly Outcome[]): Promise<unknown>[] {
  const groups = new Map<string, { readonly values: SqlValue[]; readonly numbers: number[] }>();
  for (const { notification, result } of outcomes) {
    if (notification.number === null) continue;
    const note = result.state === 'dropped' ? result.note : null;
    const key = `${result.state} ${note}`;
    const group = groups.get(key) ?? { values: [NOTIFICATION_STATE[result.state], note], numbers: [] };
    group.numbers.push(notification.number);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ values, numbers }) => {
    const among = tx.among('number', numbers);
    return tx.run(
      `UPDATE webhook_notification SET state = ?, attempts = attempts + 1, note = ? WHERE ${among.text}`,
      [...values, among.parameter],
    );
  });
}

export const NOTIFICATION_COLUMNS = [
  'number',
  'lane',
  'state',
  'id',
  'event',
  'part',
  'kind',
  'created',
  'first_attempt',
  'attempts',
  'note',
  'body',
];

interface StoredAttempts {
  /** Of the last attempt; counts scheduled and manual ones together. */
  readonly ordinal: number;
  /** Scheduled ones, since an operator made it due. */
  readonly attempts: number;
}

/** By storage number of the notification. */
async function storedAttempts(
  tx: Transaction,
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<number, StoredAttempts>> {
  const tried = outcomes.flatMap(({ notification }) => notification.number ?? []);
  if (tried.length === 0) return new Map();
  const among = tx.among('notification', tried);
  const rows = await tx.all<StoredAttempts & { readonly number: number }>(
    `SELECT n.number AS number, n.attempts AS attempts, max(a.ordinal) AS ordinal
     FROM webhook_attempt a JOIN webhook_notification n ON n.number = a.notification
     WHERE a.${among.text} GROUP BY n.number`,
    [among.parameter],
  );
  return new Map(rows.map((row) => [row.number, row]));
}

function insertAttempts(
  tx: Transaction,
  outcomes: readonly Outcome[],
  numbers: ReadonlyMap<Outcome, number>,
  stored: ReadonlyMap<number, StoredAttempts>,
): Promise<void> {
  return tx.insert(
    'webhook_attempt',
    ATTEMPT_COLUMNS,
    outcomes.map((outcome) => {
      const number = numbers.get(outcome) ?? outcome.notification.number ?? 0;
      const { at, durationMs, status, error, answer } = outcome.attempt;
      return [
        number,
        (stored.get(number)?.ordinal ?? 0) + 1,
        at,
        Math.round(durationMs),
        status,
        0,
        error,
        answer,
      ];
    }),
  );
}

export const ATTEMPT_COLUMNS = [
  'notification',
  'ordinal',
  'at',
  'duration_ms',
  'status',
  'manual',
  'error',
  'answer',
];

function replaceProgress(
  tx: Transaction,
  { owner, until }: Lease,
  states: readonly Progress[],
): Promise<void> {
  return tx.upsert(
    'webhook_progress',
    'lane',
    ['lane', 'cursor', 'part', 'head', 'next_due', 'failing_since', 'dead_since', 'owner', 'leased_until'],
    states.map((state) => [
      state.queue,
      state.cursor,
      state.part,
      state.head,
      state.next_due,
      state.failing_since,
      state.dead_since,
      owner,
      until,
    ]),
  );
}
