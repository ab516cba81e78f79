/**
 * Tests and manual replays. They are sent at once, marked and outside the queue: schedule and order of the queue do
 * not change, and a webhook that is paused or failing receives them too.
 */

import { ServiceError } from '../../errors.ts';
import type { Transaction } from '../../storage/ports.ts';
import type { Sql } from '../../storage/sql.ts';
import { pairOf, TEST_KIND } from '../event-kinds.ts';
import { type Message, messageOfBody } from '../message.ts';
import { type Prepare, signingSecrets, type ToPrepare } from '../prepare.ts';
import type { WebhookQueue } from '../queues/find-webhook-queue.ts';
import type { Attempt } from '../queues/queue-types.ts';
import { EVENT_COLUMNS, type EventRow, messageOf } from '../queues/read-upcoming.ts';
import { ATTEMPT_COLUMNS, NOTIFICATION_COLUMNS, NOTIFICATION_STATE } from '../queues/record-outcomes.ts';
import { attemptOf } from '../send/attempt-of.ts';
import type { Send } from '../send/send.ts';
import type { NotificationRow } from './notification-log.ts';

export interface ManualSending {
  readonly prepare: Prepare;
  readonly send: Send;
  readonly now: () => Date;
}

export interface ManuallySent {
  readonly id: string;
  readonly accepted: boolean;
  /** The last one has the final result. */
  readonly attempts: readonly [...Attempt[], Attempt];
  readonly body: string;
}

/**
 * Makes one attempt. While two secrets sign and the receiver refuses it, makes a second one with the other secret
 * first: manual sends have no retry schedule, and a receiver may know one secret and read one header only.
 */
export async function sendManually(
  manualSending: ManualSending,
  queue: WebhookQueue,
  message: Message,
  body: string | null,
  mark: 'test' | 'replay',
  signal?: AbortSignal,
): Promise<ManuallySent> {
  const first = await sendOnce(manualSending, queue, { message, body, mark }, 0, signal);
  const { status } = first.attempt;
  const isRefused = !first.accepted && status !== null && status >= 400 && status < 500;
  if (!isRefused || !first.bothSign) return { ...first, id: message.id, attempts: [first.attempt] };
  const second = await sendOnce(manualSending, queue, { message, body: first.body, mark }, 1, signal);
  return { ...second, id: message.id, attempts: [first.attempt, second.attempt] };
}

async function sendOnce(
  { prepare, send, now }: ManualSending,
  queue: WebhookQueue,
  what: Omit<ToPrepare, 'secrets'>,
  attemptsBefore: number,
  signal: AbortSignal | undefined,
) {
  const began = now();
  const secrets = signingSecrets(queue.secrets, began, attemptsBefore, false);
  const [prepared] = await prepare([{ ...what, secrets }], began);
  if (!prepared) throw new Error('Nothing was prepared.');
  const started = performance.now();
  const request = { url: queue.url, headers: prepared.headers, body: Buffer.from(prepared.body) };
  const answer = await send(request, signal);
  const attempt = attemptOf(began, performance.now() - started, answer);
  return { accepted: answer.accepted, body: prepared.body, bothSign: secrets.length > 1, attempt };
}

/** The type marks it as a test for receivers that ignore the mark. */
export function testMessage(queue: WebhookQueue, id: string, created: string): Message {
  return {
    id,
    ...pairOf(TEST_KIND),
    apiName: 'delivery_production',
    projectId: queue.projectId,
    created,
    url: queue.url,
    items: [],
    taxonomies: [],
  };
}

/**
 * Rebuilds the message of a logged notification.
 * @throws conflict when its event was removed
 */
export async function messageOfRow(sql: Sql, queue: WebhookQueue, row: NotificationRow): Promise<Message> {
  if (row.body !== null) return messageOfBody(row.body);
  const event = await sql.get<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM webhook_event WHERE project = ? AND number = ?`,
    [queue.project, row.event],
  );
  const message = event && (await messageOf(sql, queue, event, row.part));
  if (!message)
    throw new ServiceError('conflict', 'The content of the notification was removed; it cannot be replayed.');
  return message;
}

/** Records manual attempts. The notification's scheduled attempts and its schedule stay. */
export async function recordManualAttempts(
  tx: Transaction,
  notification: number,
  attempts: readonly Attempt[],
): Promise<void> {
  const last = await tx.get<{ ordinal: number | null }>(
    'SELECT max(ordinal) AS ordinal FROM webhook_attempt WHERE notification = ?',
    [notification],
  );
  const before = last?.ordinal ?? 0;
  await tx.insert(
    'webhook_attempt',
    ATTEMPT_COLUMNS,
    attempts.map(({ at, durationMs, status, error, answer }, index) => [
      notification,
      before + 1 + index,
      at,
      durationMs,
      status,
      1,
      error,
      answer,
    ]),
  );
}

/** A test is never retried. */
export async function recordTest(tx: Transaction, queue: WebhookQueue, sent: ManuallySent): Promise<void> {
  const number = await tx.numbers('webhook_notification');
  const state = sent.accepted ? NOTIFICATION_STATE.delivered : NOTIFICATION_STATE.dropped;
  const note = sent.accepted ? null : 'A test is not repeated.';
  await tx.insert('webhook_notification', NOTIFICATION_COLUMNS, [
    [
      number,
      queue.number,
      state,
      sent.id,
      null,
      0,
      TEST_KIND,
      sent.attempts[0].at,
      sent.attempts[0].at,
      0,
      note,
      sent.body,
    ],
  ]);
  await recordManualAttempts(tx, number, sent.attempts);
}
