import type { Storage } from '../../storage/ports.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import type { WebhookTriggers } from '../event-kinds.ts';
import { maskOf } from '../event-kinds.ts';

/** Places for events in one transaction; an event's number is the sequence times this, plus its place. */
export const EVENTS_A_SEQUENCE = 1000;

/** The lane of a new webhook: it begins behind everything up to this transaction. */
export async function openLane(
  session: ProjectTransaction,
  webhook: string,
  triggers: WebhookTriggers,
): Promise<void> {
  const { tx, project } = session;
  const lane = await tx.numbers('webhook_lane');
  await tx.insert(
    'webhook_lane',
    ['number', 'project', 'webhook', 'mask'],
    [[lane, project.number, webhook, maskOf(triggers)]],
  );
  const behind = tx.sequence * EVENTS_A_SEQUENCE + EVENTS_A_SEQUENCE - 1;
  await tx.insert('webhook_progress', ['lane', 'cursor', 'part'], [[lane, behind, 0]]);
}

/**
 * Brings the masks up to date: those that a migration opened, with every kind there may be, and those that an earlier
 * version made when a trigger meant less.
 */
export async function fillMasks(storage: Storage): Promise<void> {
  const lanes = await storage.sql.all<{ lane: number; mask: number; triggers: string }>(
    `SELECT l.number AS lane, l.mask AS mask, w.triggers AS triggers
     FROM webhook_lane l JOIN webhook w ON w.id = l.webhook`,
  );
  const stale = lanes.flatMap(({ lane, mask, triggers }) => {
    const now = maskOf(JSON.parse(triggers));
    return now === mask ? [] : [[now, lane]];
  });
  if (stale.length === 0) return;
  await storage.write(async (tx) => {
    for (const row of stale) await tx.run('UPDATE webhook_lane SET mask = ? WHERE number = ?', row);
  });
}
