/**
 * What people send themselves: a test, or a notification once more. It goes out at once, marked, beside the lane:
 * neither the schedule nor the order of what is queued changes, and a lane that is paused or failing takes it too.
 */

import { ServiceError } from '../../errors.ts';
import type { Transaction } from '../../storage/ports.ts';
import type { Sql } from '../../storage/sql.ts';
import { timestamp } from '../../storage/timestamp.ts';
import { pairOf, TEST_KIND } from '../event-kinds.ts';
import type { LaneRow } from '../lanes/find-lane.ts';
import type { Attempt } from '../lanes/lane-types.ts';
import { ATTEMPT_COLUMNS, NOTIFICATION_COLUMNS, NOTIFICATION_STATE } from '../lanes/record-outcomes.ts';
import { EVENT_COLUMNS, type EventRow, messageOf } from '../lanes/upcoming.ts';
import { type Message, messageOfBody } from '../message.ts';
import { type Prepare, signingSecrets, type ToPrepare } from '../prepare.ts';
import type { Send } from '../send/send.ts';
import type { NotificationRow } from './notification-log.ts';

export interface ByHand {
  readonly prepare: Prepare;
  readonly send: Send;
  readonly now: () => Date;
}

export interface SentByHand {
  readonly id: string;
  readonly taken: boolean;
  /** The last one tells what came of it. */
  readonly attempts: readonly [...Attempt[], Attempt];
  readonly body: string;
}

/**
 * One attempt; while two secrets sign, another one with the other first where that is refused: there is no schedule
 * by which a receiver that knows one of them and looks at one header would get it later.
 */
export async function sendByHand(
  byHand: ByHand,
  lane: LaneRow,
  message: Message,
  body: string | null,
  mark: 'test' | 'replay',
  signal?: AbortSignal,
): Promise<SentByHand> {
  const first = await sendOnce(byHand, lane, { message, body, mark }, 0, signal);
  const { status } = first.attempt;
  const isRefused = !first.taken && status !== null && status >= 400 && status < 500;
  if (!isRefused || !first.bothSign) return { ...first, id: message.id, attempts: [first.attempt] };
  const second = await sendOnce(byHand, lane, { message, body: first.body, mark }, 1, signal);
  return { ...second, id: message.id, attempts: [first.attempt, second.attempt] };
}

async function sendOnce(
  { prepare, send, now }: ByHand,
  lane: LaneRow,
  what: Omit<ToPrepare, 'secrets'>,
  made: number,
  signal: AbortSignal | undefined,
) {
  const began = now();
  const previous =
    lane.previousSecret !== null && lane.previousUntil !== null
      ? { secret: lane.previousSecret, until: lane.previousUntil }
      : null;
  const secrets = signingSecrets({ current: lane.secret, previous }, began, made, false);
  const [prepared] = await prepare([{ ...what, secrets }], began);
  if (!prepared) throw new Error('Nothing was prepared.');
  const started = performance.now();
  const parcel = { url: lane.url, headers: prepared.headers, body: Buffer.from(prepared.body) };
  const answer = await send(parcel, signal);
  const attempt: Attempt = {
    at: timestamp(began),
    durationMs: Math.round(performance.now() - started),
    status: answer.status,
    answer: answer.answer === '' ? null : answer.answer,
    error: answer.error,
  };
  return { taken: answer.taken, body: prepared.body, bothSign: secrets.length > 1, attempt };
}

/** Says what it is by its type, to receivers that know nothing of marks as well. */
export function testMessage(lane: LaneRow, id: string, created: string): Message {
  return {
    id,
    ...pairOf(TEST_KIND),
    apiName: 'delivery_production',
    projectId: lane.projectId,
    created,
    url: lane.url,
    items: [],
    taxonomies: [],
  };
}

/**
 * What a notification of the log said.
 * @throws conflict when it is too long ago
 */
export async function messageOfRow(sql: Sql, lane: LaneRow, row: NotificationRow): Promise<Message> {
  if (row.body !== null) return messageOfBody(row.body);
  const event = await sql.get<EventRow & Record<string, string | number | null>>(
    `SELECT ${EVENT_COLUMNS} FROM webhook_event WHERE project = ? AND number = ?`,
    [lane.project, row.event],
  );
  const message = event && (await messageOf(sql, lane, event, row.part));
  if (!message)
    throw new ServiceError(
      'conflict',
      'What the notification said is kept no longer; it cannot be sent again.',
    );
  return message;
}

/** Enters attempts by hand; the notification's own attempts, and so its schedule, stay as they are. */
export async function recordByHand(
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

/** A test is not repeated, whatever came of it. */
export async function recordTest(tx: Transaction, lane: LaneRow, sent: SentByHand): Promise<void> {
  const number = await tx.numbers('webhook_notification');
  const state = sent.taken ? NOTIFICATION_STATE.delivered : NOTIFICATION_STATE.dropped;
  const note = sent.taken ? null : 'A test is not repeated.';
  await tx.insert('webhook_notification', NOTIFICATION_COLUMNS, [
    [
      number,
      lane.lane,
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
  await recordByHand(tx, number, sent.attempts);
}
