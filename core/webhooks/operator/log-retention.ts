import { type Age, ANY_AGE, DailyRetention, RETENTION_BATCH, upToNew } from '../../jobs/daily-retention.ts';
import type { Transaction } from '../../storage/ports.ts';
import type { Sql } from '../../storage/sql.ts';
import { passUnchosen } from '../queues/pass-unchosen.ts';
import { NOTIFICATION_STATE } from '../queues/record-outcomes.ts';

/**
 * Removes old settled notifications, events that every queue has passed, and queues of deleted webhooks. Every search
 * uses an index, so kept rows cost nothing. Pending notifications are never removed.
 */
export class LogRetention extends DailyRetention {
  protected async remove(age: Age): Promise<void> {
    const { storage } = this;
    const { sql } = storage;
    const queues = await sql.all<{ queue: number; webhook: string | null }>(
      `SELECT l.number AS queue, w.id AS webhook
       FROM webhook_lane l LEFT JOIN webhook w ON w.id = l.webhook ORDER BY l.number`,
    );
    for (const { queue, webhook } of queues) {
      if (this.isStopped) return;
      const removed = webhook === null ? ANY_AGE : age;
      for (const state of Object.values(NOTIFICATION_STATE))
        if (webhook === null || state !== NOTIFICATION_STATE.pending)
          await this.inOrder((tx, after) => removeNotifications(tx, { queue, state, after }, removed));
      if (webhook === null) await this.inBatches((tx) => removeQueue(tx, queue));
      else await passUnchosen(sql, webhook, (work) => storage.write(work));
    }
    const projects = await sql.all<{ project: number }>('SELECT number AS project FROM project');
    for (const { project } of projects)
      await this.inOrder((tx, after) => removeEvents(tx, project, age, after));
  }
}

/**
 * Removes the oldest first, which is the order of their numbers.
 * @returns the last number that was read; undefined at the end
 */
async function removeNotifications(
  tx: Transaction,
  { queue, state, after }: { readonly queue: number; readonly state: number; readonly after: number },
  age: Age,
): Promise<number | undefined> {
  const rows = await tx.all<{ number: number; created: string }>(
    `SELECT number, created FROM webhook_notification WHERE lane = ? AND state = ? AND number > ?
     ORDER BY number LIMIT ${RETENTION_BATCH}`,
    [queue, state, after],
  );
  const passed = upToNew(rows, ({ created }) => created, age);
  const numbers = passed.filter(({ created }) => created < age.before).map(({ number }) => number);
  if (numbers.length > 0) {
    const attempts = tx.among('notification', numbers);
    await tx.run(`DELETE FROM webhook_attempt WHERE ${attempts.text}`, [attempts.parameter]);
    const notifications = tx.among('number', numbers);
    await tx.run(`DELETE FROM webhook_notification WHERE ${notifications.text}`, [notifications.parameter]);
  }
  return passed.length === RETENTION_BATCH ? rows.at(-1)?.number : undefined;
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

/** @returns the last number that was read; undefined at the end */
async function removeEvents(
  tx: Transaction,
  project: number,
  age: Age,
  after: number,
): Promise<number | undefined> {
  const needed = await oldestNeeded(tx, project);
  // Without a webhook nothing reads the events.
  const removed = needed === undefined ? ANY_AGE : age;
  const rows = await tx.all<{ number: number; created: string; items: string | null }>(
    `SELECT number, created, items FROM webhook_event WHERE project = ? AND number > ? AND number < ?
     ORDER BY number LIMIT ${RETENTION_BATCH}`,
    [project, after, needed ?? Number.MAX_SAFE_INTEGER],
  );
  const passed = upToNew(rows, ({ created }) => created, removed);
  // An old event with rows of its own ends the batch: it may have a hundred thousand.
  const large = passed.findIndex(({ items, created }) => items === null && created < removed.before);
  const last = (large === -1 ? passed.at(-1) : passed[large])?.number;
  if (last === undefined) return undefined;
  if (large !== -1) await tx.run('DELETE FROM webhook_affected WHERE event = ?', [last]);
  await tx.run('DELETE FROM webhook_event WHERE project = ? AND number > ? AND number <= ? AND created < ?', [
    project,
    after,
    last,
    removed.before,
  ]);
  return large !== -1 || passed.length === RETENTION_BATCH ? last : undefined;
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
