import { addressesWith } from '../access/permissions.ts';
import type { Storage, Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { type MailEvent, nameOf } from './mail-event.ts';

/** A mail that waits for its next attempt. */
export interface WaitingMail {
  readonly number: number;
  readonly name: string;
  readonly address: string;
  readonly event: MailEvent;
  readonly created: string;
  readonly attempts: number;
}

/** What a source of mails needs. */
export interface MailSource {
  readonly storage: Pick<Storage, 'sql' | 'write'>;
  readonly clock: () => Date;
  /** Must be called when the outbox has a new mail. */
  readonly queued: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Queues a mail to every user of the project who may manage its APIs (spec 6.1), in the transaction of the event. Skips
 * addresses that have already been mailed about it.
 */
export async function queueMail(tx: Transaction, project: number, event: MailEvent): Promise<void> {
  for (const address of await addressesWith(tx, project, 'manage-apis'))
    await queueMailTo(tx, address, event);
}

/** Queues a mail to one address, in the transaction of the event. Nothing where it has been mailed about it. */
export async function queueMailTo(tx: Transaction, address: string, event: MailEvent): Promise<void> {
  await tx.run(
    `INSERT INTO mail (number, occasion, address, kind, facts, created, due, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, 0)
     ON CONFLICT (occasion, address) DO NOTHING`,
    [await tx.numbers('mail'), nameOf(event), address, event.kind, JSON.stringify(event), tx.now, tx.now],
  );
}

/** Mails that are due, oldest first. */
export async function dueMails(sql: Sql, now: string, limit: number): Promise<WaitingMail[]> {
  const rows = await sql.all<{
    number: number;
    occasion: string;
    address: string;
    facts: string;
    created: string;
    attempts: number;
  }>(
    `SELECT number, occasion, address, facts, created, attempts FROM mail
     WHERE due IS NOT NULL AND due <= ? ORDER BY due, number LIMIT ?`,
    [now, limit],
  );
  return rows.map(({ number, occasion, address, facts, created, attempts }) => ({
    number,
    name: occasion,
    address,
    event: JSON.parse(facts) as MailEvent,
    created,
    attempts,
  }));
}

/** When the next mail is due; undefined while none waits. */
export async function nextMail(sql: Sql): Promise<string | undefined> {
  const row = await sql.get<{ due: string | null }>('SELECT min(due) AS due FROM mail WHERE due IS NOT NULL');
  return row?.due ?? undefined;
}

export async function markSent(tx: Transaction, number: number): Promise<void> {
  await tx.run(
    'UPDATE mail SET sent = ?, due = NULL, attempts = attempts + 1, error = NULL WHERE number = ?',
    [tx.now, number],
  );
}

/** @param due next attempt; null ends the attempts */
export async function markFailed(
  tx: Transaction,
  number: number,
  error: string,
  due: string | null,
): Promise<void> {
  await tx.run('UPDATE mail SET due = ?, attempts = attempts + 1, error = ? WHERE number = ?', [
    due,
    error.slice(0, 500),
    number,
  ]);
}

/** Removes mails settled before this time; by then the same event cannot recur. */
export async function clearOld(tx: Transaction, before: string): Promise<void> {
  await tx.run('DELETE FROM mail WHERE due IS NULL AND created < ?', [before]);
}
