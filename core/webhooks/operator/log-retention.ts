import { DailyRetention, RETENTION_BATCH, type RetentionOptions } from '../../jobs/daily-retention.ts';
import type { Transaction } from '../../storage/ports.ts';
import type { Sql } from '../../storage/sql.ts';
import { passUnchosen } from '../queues/pass-unchosen.ts';
import { NOTIFICATION_STATE } from '../queues/record-outcomes.ts';

/**
 * Removes old settled notifications, events that every queue has passed, and queues of deleted webhooks. Every search
 * uses an index, so kept rows cost nothing. Pending notifications are never removed.
 */
export class LogRetention extends DailyRetention {
  readonly #days: number;

  /** @param days how long settled notifications are kept */
  constructor(options: RetentionOptions, days: number) {
    super(options);
    this.#days = days;
  }

  async removeOld(): Promise<void> {
    const before = this.daysAgo(this.#days);
    const { storage } = this;
    const { sql } = storage;
    const queues = await sql.all<{ queue: number; webhook: string | null }>(
      `SELECT l.number AS queue, w.id AS webhook
       FROM webhook_lane l LEFT JOIN webhook w ON w.id = l.webhook ORDER BY l.number`,
    );
    for (const { queue, webhook } of queues) {
      if (this.isStopped) return;
      const until = webhook === null ? null : before;
      for (const state of Object.values(NOTIFICATION_STATE))
        if (webhook === null || state !== NOTIFICATION_STATE.pending)
          await this.inBatches((tx) => removeNotifications(tx, queue, state, until));
      if (webhook === null) await this.inBatches((tx) => removeQueue(tx, queue));
      else await passUnchosen(sql, webhook, (work) => storage.write(work));
    }
    const projects = await sql.all<{ project: number }>('SELECT number AS project FROM project');
    for (const { project } of projects) await this.inBatches((tx) => removeEvents(tx, project, before));
  }
}

/** Removes the oldest first, which is the order of their numbers, up to the first that is new enough. */
async function removeNotifications(
  tx: Transaction,
  queue: number,
  state: number,
  before: string | null,
): Promise<boolean> {
  const rows = await tx.all<{ number: number; created: string }>(
    `SELECT number, created FROM webhook_notification WHERE lane = ? AND state = ? ORDER BY number LIMIT ${RETENTION_BATCH}`,
    [queue, state],
  );
  const firstNew = before === null ? -1 : rows.findIndex(({ created }) => created >= before);
  const old = firstNew === -1 ? rows : rows.slice(0, firstNew);
  if (old.length === 0) return false;
  const numbers = old.map(({ number }) => number);
  const attempts = tx.among('notification', numbers);
  await tx.run(`DELETE FROM webhook_attempt WHERE ${attempts.text}`, [attempts.parameter]);
  const notifications = tx.among('number', numbers);
  await tx.run(`DELETE FROM webhook_notification WHERE ${notifications.text}`, [notifications.parameter]);
  return old.length === RETENTION_BATCH;
}

async function removeQueue(tx: Transaction, queue: number): Promise<boolean> {
  // The number may be reused, so no row may keep it.
  const notification = await tx.get('SELECT number FROM webhook_notification WHERE lane = ? LIMIT 1', [
    queue,
  ]);
  if (notification) return false;
  await tx.run('DELETE FROM webhook_progress WHERE lane = ?', [queue]);
  await tx.run('DELETE FROM webhook_lane WHERE number = ?', [queue]);
  return false;
}

async function removeEvents(tx: Transaction, project: number, before: string): Promise<boolean> {
  const needed = await oldestNeeded(tx, project);
  const rows = await tx.all<{ number: number; created: string; items: string | null }>(
    `SELECT number, created, items FROM webhook_event WHERE project = ? AND number < ? ORDER BY number LIMIT ${RETENTION_BATCH}`,
    [project, needed ?? Number.MAX_SAFE_INTEGER],
  );
  // Without a webhook nothing reads the events.
  const firstNew = needed === undefined ? -1 : rows.findIndex(({ created }) => created >= before);
  const old = firstNew === -1 ? rows : rows.slice(0, firstNew);
  // An event with rows of its own ends the batch: it may have a hundred thousand.
  const large = old.findIndex(({ items }) => items === null);
  const batch = large === -1 ? old : old.slice(0, large + 1);
  const last = batch.at(-1)?.number;
  if (last === undefined) return false;
  if (large !== -1) await tx.run('DELETE FROM webhook_affected WHERE event = ?', [last]);
  await tx.run('DELETE FROM webhook_event WHERE project = ? AND number <= ?', [project, last]);
  return large !== -1 || old.length === RETENTION_BATCH;
}

/** Number of the first event that some queue still needs; undefined without a queue. */
async function oldestNeeded(sql: Sql, project: number): Promise<number | undefined> {
  const row = await sql.get<{ cursor: number | null }>(
    `SELECT min(p.cursor) AS cursor FROM webhook_lane l JOIN webhook_progress p ON p.lane = l.number
     WHERE l.project = ?`,
    [project],
  );
  return row?.cursor ?? undefined;
}
