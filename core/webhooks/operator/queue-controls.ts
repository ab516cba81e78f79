import { ServiceError } from '../../errors.ts';
import { timestamp } from '../../storage/timestamp.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import type { WebhookQueue } from '../queues/find-webhook-queue.ts';
import { NOTIFICATION_STATE } from '../queues/record-outcomes.ts';
import { newSecret } from '../queues/secrets.ts';

/**
 * Drops the notification that blocks the queue and records that. The next one is sent now.
 * @param expected its id, where it has to be this one
 * @returns its `message.id`
 * @throws conflict when no notification blocks the queue; preconditionFailed when it is not the expected one
 */
export async function skipHead(
  transaction: ProjectTransaction,
  queue: WebhookQueue,
  expected?: string,
): Promise<string> {
  const { tx } = transaction;
  const head = await tx.get<{ number: number; id: string; event: number; part: number }>(
    `SELECT n.number AS number, n.id AS id, n.event AS event, n.part AS part
     FROM webhook_progress p JOIN webhook_notification n ON n.number = p.head WHERE p.lane = ?`,
    [queue.number],
  );
  if (!head) throw new ServiceError('conflict', 'No failed notification of this webhook waits for a retry.');
  if (expected !== undefined && head.id !== expected.toLowerCase())
    throw new ServiceError(
      'preconditionFailed',
      'Another notification blocks the webhook by now: nothing was dropped.',
    );
  await tx.run('UPDATE webhook_notification SET state = ?, note = ? WHERE number = ?', [
    NOTIFICATION_STATE.dropped,
    'It was skipped by hand.',
    head.number,
  ]);
  // Without its lease, a dispatcher that is sending the head does not record the result for the queue.
  await tx.run(
    `UPDATE webhook_progress SET cursor = ?, part = ?, head = NULL, next_due = NULL, owner = NULL,
       leased_until = NULL WHERE lane = ?`,
    [head.event, head.part, queue.number],
  );
  transaction.change('webhook', 'skip', queue.webhook, []);
  return head.id;
}

/** Retries the head at once and restarts its three days: a pause does not count as failure time. */
export async function retryHeadNow(
  { tx, now }: Pick<ProjectTransaction, 'tx' | 'now'>,
  webhook: string,
): Promise<void> {
  const row = await tx.get<{ queue: number; head: number }>(
    `SELECT p.lane AS queue, p.head AS head FROM webhook_progress p JOIN webhook_lane l ON l.number = p.lane
     WHERE l.webhook = ? AND p.head IS NOT NULL`,
    [webhook],
  );
  if (!row) return;
  await tx.run('UPDATE webhook_notification SET first_attempt = ?, attempts = 0 WHERE number = ?', [
    now,
    row.head,
  ]);
  await tx.run('UPDATE webhook_progress SET next_due = ? WHERE lane = ?', [now, row.queue]);
}

/**
 * Replaces the secret. The old one signs as well until the overlap ends. A secret from an earlier rotation ends at
 * once.
 */
export async function rotateSecret(
  transaction: ProjectTransaction,
  queue: WebhookQueue,
  overlapMs: number,
): Promise<{ readonly secret: string; readonly previousUntil: string }> {
  const secret = newSecret(transaction);
  const previousUntil = timestamp(Date.parse(transaction.now) + overlapMs);
  await transaction.tx.run(
    `UPDATE webhook SET previous_secret = secret, previous_until = ?, secret = ?, last_modified = ? WHERE id = ?`,
    [previousUntil, secret, transaction.now, queue.webhook],
  );
  transaction.change('webhook', 'rotate_secret', queue.webhook, []);
  return { secret, previousUntil };
}
