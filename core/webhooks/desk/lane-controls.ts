import { ServiceError } from '../../errors.ts';
import { timestamp } from '../../storage/timestamp.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import type { LaneRow } from '../lanes/find-lane.ts';
import { newSecret } from '../lanes/lane-secret.ts';
import { NOTIFICATION_STATE } from '../lanes/record-outcomes.ts';

/**
 * Drops the notification that blocks the lane, on record; what waits behind it is sent now.
 * @returns its `message.id`
 * @throws conflict when none is blocking it
 */
export async function skipHead(session: ProjectTransaction, lane: LaneRow): Promise<string> {
  const { tx } = session;
  const head = await tx.get<{ number: number; id: string; event: number; part: number }>(
    `SELECT n.number AS number, n.id AS id, n.event AS event, n.part AS part
     FROM webhook_progress p JOIN webhook_notification n ON n.number = p.head WHERE p.lane = ?`,
    [lane.lane],
  );
  if (!head)
    throw new ServiceError('conflict', 'No notification of this webhook failed and waits to be sent again.');
  await tx.run('UPDATE webhook_notification SET state = ?, note = ? WHERE number = ?', [
    NOTIFICATION_STATE.dropped,
    'It was skipped by hand.',
    head.number,
  ]);
  // Without an owner: whoever is sending it right now finds that the lane has moved on.
  await tx.run(
    `UPDATE webhook_progress SET cursor = ?, part = ?, head = NULL, next_due = NULL, owner = NULL,
       leased_until = NULL WHERE lane = ?`,
    [head.event, head.part, lane.lane],
  );
  session.change('webhook', 'skip', lane.webhook, []);
  return head.id;
}

/** What blocks the lane is tried at once and has its three days from now: a pause is no time in which it failed. */
export async function startHeadAnew(
  { tx, now }: Pick<ProjectTransaction, 'tx' | 'now'>,
  webhook: string,
): Promise<void> {
  const row = await tx.get<{ lane: number; head: number }>(
    `SELECT p.lane AS lane, p.head AS head FROM webhook_progress p JOIN webhook_lane l ON l.number = p.lane
     WHERE l.webhook = ? AND p.head IS NOT NULL`,
    [webhook],
  );
  if (!row) return;
  await tx.run('UPDATE webhook_notification SET first_attempt = ?, attempts = 0 WHERE number = ?', [
    now,
    row.head,
  ]);
  await tx.run('UPDATE webhook_progress SET next_due = ? WHERE lane = ?', [now, row.lane]);
}

/**
 * Gives the webhook a new secret. The old one signs as well until the overlap ends; one that was still in an
 * overlap ends at once.
 */
export async function rotateSecret(
  session: ProjectTransaction,
  lane: LaneRow,
  overlapMs: number,
): Promise<{ readonly secret: string; readonly previousUntil: string }> {
  const secret = newSecret(session);
  const previousUntil = timestamp(Date.parse(session.now) + overlapMs);
  await session.tx.run(
    `UPDATE webhook SET previous_secret = secret, previous_until = ?, secret = ?, last_modified = ? WHERE id = ?`,
    [previousUntil, secret, session.now, lane.webhook],
  );
  session.change('webhook', 'rotate_secret', lane.webhook, []);
  return { secret, previousUntil };
}
