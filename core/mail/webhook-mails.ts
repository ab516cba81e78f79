import type { Transaction } from '../storage/ports.ts';
import type { MailEvent } from './mail-event.ts';
import { type MailSource, queueMail } from './outbox.ts';

/** Spec 6.1: mail after one hour of repeated failures. */
const HOUR = 3_600_000;
/** The pauses between so many attempts at one notification are 63 minutes together. */
const ATTEMPTS_OF_HOUR = 7;

/** The state of a queue after an attempt; ISO times. */
export interface WebhookAttempt {
  readonly queue: number;
  /** Before the attempt, and after it. */
  readonly failingSince: readonly [string | null, string | null];
  readonly deadSince: readonly [string | null, string | null];
}

interface WebhookMailRow {
  readonly queue: number;
  readonly project: number;
  readonly project_name: string;
  readonly webhook: string;
  readonly name: string;
  readonly url: string;
  /** Mail sent about the failures that began at `mailed_at`. */
  readonly mailed: 'failing' | 'dropped' | null;
  readonly mailed_at: string | null;
  readonly failing_since: string | null;
  readonly dead_since: string | null;
  /** At the head; null without one. */
  readonly attempts: number | null;
}

/**
 * Queues the mails about webhooks: after an hour of failures, when a notification is dropped after three days, and
 * when the webhook recovers from either. The queue stores the last mail, so each mail is sent once. A mail that a crash
 * prevented is queued at the next start, one that a failed write prevented with the next attempt of any queue.
 * Time without attempts, paused or stopped, does not count as failure: attempts are counted.
 */
export class WebhookMails {
  readonly #source: MailSource;
  #running: Promise<void> = Promise.resolve();
  /** A check failed, so some queue is unchecked. */
  #missedQueue = false;

  constructor(source: MailSource) {
    this.#source = source;
  }

  /** Must be called after each recorded attempt. Reads the database only when a mail may be due. */
  onAttemptRecorded({ queue, failingSince: [before, after], deadSince }: WebhookAttempt): void {
    const recovered = before !== null && after !== before;
    const dropped = deadSince[1] !== null && deadSince[1] !== deadSince[0];
    const long = after !== null && this.#source.clock().getTime() - Date.parse(after) >= HOUR;
    if (this.#missedQueue) this.#check();
    else if (recovered || dropped || long) this.#check(queue);
  }

  /** Checks every queue: a crash may have prevented a mail. */
  checkAll(): void {
    this.#check();
  }

  /** Resolves when all recorded attempts have been checked. */
  async close(): Promise<void> {
    await this.#running;
  }

  #check(queue?: number): void {
    this.#running = this.#running
      .then(async () => {
        if (queue === undefined) this.#missedQueue = false;
        const queues = (await this.#queues(queue)).filter((row) => this.#mails(row).length > 0);
        if (queues.length === 0) return;
        await this.#source.storage.write(async (tx) => {
          for (const row of queues) await this.#queueMails(tx, row);
        });
        this.#source.queued();
      })
      .catch((error: unknown) => {
        this.#missedQueue = true;
        this.#source.failed(error);
      });
  }

  #queues(queue?: number): Promise<WebhookMailRow[]> {
    const which =
      queue === undefined ? '(l.mailed IS NOT NULL OR g.failing_since IS NOT NULL)' : 'l.number = ?';
    return this.#source.storage.sql.all<WebhookMailRow>(
      `SELECT l.number AS queue, l.project AS project, p.name AS project_name, w.id AS webhook, w.name AS name,
         w.url AS url, l.mailed AS mailed, l.mailed_at AS mailed_at, g.failing_since AS failing_since,
         g.dead_since AS dead_since, n.attempts AS attempts
       FROM webhook_lane l JOIN webhook_progress g ON g.lane = l.number JOIN webhook w ON w.id = l.webhook
         JOIN project p ON p.number = l.project LEFT JOIN webhook_notification n ON n.number = g.head WHERE ${which}`,
      queue === undefined ? [] : [queue],
    );
  }

  #mails({
    mailed,
    mailed_at,
    failing_since,
    dead_since,
    attempts,
  }: WebhookMailRow): { kind: MailKind; since: string }[] {
    const mails: { kind: MailKind; since: string }[] = [];
    const over = mailed !== null && mailed_at !== null && mailed_at !== failing_since;
    if (over) mails.push({ kind: 'webhook-recovered', since: mailed_at });
    if (failing_since === null) return mails;
    const alreadyMailed = over ? null : mailed;
    const long = attempts !== null && attempts >= ATTEMPTS_OF_HOUR;
    if (alreadyMailed === null && long && dead_since === null)
      mails.push({ kind: 'webhook-failing', since: failing_since });
    if (alreadyMailed !== 'dropped' && dead_since !== null)
      mails.push({ kind: 'webhook-dropped', since: failing_since });
    return mails;
  }

  async #queueMails(tx: Transaction, row: WebhookMailRow): Promise<void> {
    let { mailed, mailed_at } = row;
    const webhook = { id: row.webhook, name: row.name, url: row.url, project: row.project_name };
    for (const { kind, since } of this.#mails(row)) {
      await queueMail(tx, row.project, { kind, webhook, since });
      [mailed, mailed_at] = kind === 'webhook-recovered' ? [null, null] : [STATES[kind], since];
    }
    await tx.run('UPDATE webhook_lane SET mailed = ?, mailed_at = ? WHERE number = ?', [
      mailed,
      mailed_at,
      row.queue,
    ]);
  }
}

type MailKind = Exclude<MailEvent['kind'], 'key-expiring' | 'invitation'>;
const STATES = { 'webhook-failing': 'failing', 'webhook-dropped': 'dropped' } as const;
