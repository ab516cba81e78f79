import type { Storage } from '../../storage/ports.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import type { WebhookTriggers } from '../event-kinds.ts';
import { maskOf } from '../event-kinds.ts';

/**
 * Numbers reserved for the events of one transaction; an event's number is the sequence times this, plus its index.
 */
export const EVENTS_PER_SEQUENCE = 1000;

/** Creates the queue of a new webhook. It starts after all events up to this transaction. */
export async function createQueue(
  transaction: ProjectTransaction,
  webhook: string,
  triggers: WebhookTriggers,
): Promise<void> {
  const { tx, project } = transaction;
  const queue = await tx.numbers('webhook_lane');
  await tx.insert(
    'webhook_lane',
    ['number', 'project', 'webhook', 'mask'],
    [[queue, project.number, webhook, maskOf(triggers)]],
  );
  const cursor = tx.sequence * EVENTS_PER_SEQUENCE + EVENTS_PER_SEQUENCE - 1;
  await tx.insert('webhook_progress', ['lane', 'cursor', 'part'], [[queue, cursor, 0]]);
}

/**
 * Updates stored masks: those that a migration created with every kind, and those of earlier versions in which a
 * trigger meant less.
 */
export async function updateMasks(storage: Storage): Promise<void> {
  const queues = await storage.sql.all<{ queue: number; mask: number; triggers: string }>(
    `SELECT l.number AS queue, l.mask AS mask, w.triggers AS triggers
     FROM webhook_lane l JOIN webhook w ON w.id = l.webhook`,
  );
  const stale = queues.flatMap(({ queue, mask, triggers }) => {
    const now = maskOf(JSON.parse(triggers));
    return now === mask ? [] : [[now, queue]];
  });
  if (stale.length === 0) return;
  await storage.write(async (tx) => {
    for (const row of stale) await tx.run('UPDATE webhook_lane SET mask = ? WHERE number = ?', row);
  });
}
