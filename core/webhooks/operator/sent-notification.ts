import { ServiceError } from '../../errors.ts';
import type { Sql } from '../../storage/sql.ts';
import { kindOf, TEST_KIND } from '../event-kinds.ts';
import { type Prepare, signingSecrets } from '../prepare.ts';
import type { WebhookQueue } from '../queues/find-webhook-queue.ts';
import { findAttempted, type LoggedAttempt, type LoggedNotification, logged } from './notification-log.ts';
import { messageOfRow } from './send-manually.ts';

/** An attempt with the headers of its request. */
export interface SentAttempt extends LoggedAttempt {
  /** Null where the content of the notification was removed. */
  readonly headers: Readonly<Record<string, string>> | null;
}

export interface SentNotification extends Omit<LoggedNotification, 'attempts'> {
  /** Null where the content of the notification was removed. */
  readonly body: string | null;
  readonly attempts: readonly SentAttempt[];
}

/**
 * A notification with what was sent. Bodies of delivered ones and headers are not stored but made again, by the function that
 * made them; signatures are made with the secrets that sign now.
 * @returns undefined for one that was never attempted
 */
export async function findSent(
  sql: Sql,
  queue: WebhookQueue,
  id: string,
  prepare: Prepare,
): Promise<SentNotification | undefined> {
  const row = await findAttempted(sql, queue.number, id);
  const [notification] = row ? await logged(sql, queue, [row]) : [];
  if (!row || !notification) return undefined;
  const message = await messageOfRow(sql, queue, row).catch((error: unknown) => {
    if (error instanceof ServiceError && error.errorName === 'conflict') return undefined;
    throw error;
  });
  if (!message)
    return {
      ...notification,
      body: null,
      attempts: notification.attempts.map((one) => ({ ...one, headers: null })),
    };
  const manual = kindOf(message.type, message.operation) === TEST_KIND ? 'test' : 'replay';
  let { body } = row;
  const attempts: SentAttempt[] = [];
  for (const [index, attempt] of notification.attempts.entries()) {
    const at = new Date(attempt.at);
    const secrets = signingSecrets(queue.secrets, at, index, false);
    const mark = attempt.manual ? { mark: manual } : {};
    const [prepared] = await prepare([{ message, body, secrets, ...mark }], at);
    body = prepared?.body ?? body;
    attempts.push({ ...attempt, headers: prepared?.headers ?? null });
  }
  return { ...notification, body, attempts };
}
