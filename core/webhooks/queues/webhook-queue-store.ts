/**
 * The port between stored events and the dispatcher: one queue per webhook, in commit order.
 *
 * Events stay in the log of their project until every queue has passed them. A queue reads its next ones straight
 * from the log (`upcoming`), and a notification gets a row only with the result of its first attempt (`record`): one
 * write each, none before sending. Its id and bytes follow from the event alone, so a crash between sending and
 * recording repeats the same request.
 *
 * A queue belongs to the owner of its lease, until the lease ends or the owner's process does. Times are the store's
 * (`tx.now`): ISO with 7 fraction digits, UTC.
 */

import type { Owner } from '../../storage/owner.ts';
import type { Storage } from '../../storage/ports.ts';
import { timestamp } from '../../storage/timestamp.ts';
import { ITEMS_LIMIT } from '../message.ts';
import type { LeasedQueue, Outcome, RecordedAttempt, Upcoming, WaitingQueue } from './queue-types.ts';
import { readUpcoming } from './read-upcoming.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { type StoredSecrets, toSecrets } from './secrets.ts';

export type QueueOwner = Pick<Owner, 'id' | 'ended'>;

export class WebhookQueueStore {
  readonly #storage: Storage;
  readonly #owner: QueueOwner;

  /** @param owner of the leases; unique to this run */
  constructor(storage: Storage, owner: QueueOwner = storage.owner) {
    this.#storage = storage;
    this.#owner = owner;
  }

  /**
   * Lists queues that have something to send, now or later, without paused ones; one statement. Worth calling for the
   * projects in `CommittedChanges.announced`, and after a change of a webhook.
   * @param after only this project (storage number): queues with events from this number on (the sequence of the
   *    commit × 1000) and all heads. Without it all queues.
   */
  async waiting(after?: { readonly project: number; readonly event: number }): Promise<WaitingQueue[]> {
    const from = after?.event ?? 0;
    const rows = await this.#storage.sql.all<WaitingRow>(
      `SELECT l.number AS queue, l.project AS project, p.next_due AS due, coalesce(n.attempts, 0) AS attempts,
         p.owner AS owner
       FROM webhook_lane l JOIN webhook_progress p ON p.lane = l.number JOIN webhook w ON w.id = l.webhook
         LEFT JOIN webhook_notification n ON n.number = p.head
       WHERE w.enabled = 1 ${after ? 'AND l.project = ?' : ''} AND (p.head IS NOT NULL OR EXISTS (
         SELECT 1 FROM webhook_event e WHERE e.project = l.project AND e.kind & l.mask <> 0
           AND e.number >= CASE WHEN p.cursor > ? THEN p.cursor ELSE ? END
           AND (e.number > p.cursor OR e.count > (p.part + 1) * ${ITEMS_LIMIT})))
       ORDER BY l.number`,
      after ? [after.project, from, from] : [from, from],
    );
    const others = await this.#othersOf(rows);
    return rows.map(({ owner, ...row }) => ({ ...row, isElsewhere: owner !== null && others.has(owner) }));
  }

  /**
   * Leases queues that no other live owner holds now. An owner that holds a queue gets it again with its present state;
   * that is how a queue is reread.
   * @param leaseMs longer than an attempt may take
   */
  async claim(queues: readonly number[], leaseMs: number): Promise<LeasedQueue[]> {
    const leased = await this.#claim(queues, [], leaseMs);
    if (leased.length === queues.length) return leased;
    const among = this.#storage.sql.among(
      'lane',
      queues.filter((number) => !leased.some(({ queue }) => queue === number)),
    );
    const rows = await this.#storage.sql.all<{ owner: string }>(
      `SELECT DISTINCT owner FROM webhook_progress WHERE ${among.text} AND owner IS NOT NULL`,
      [among.parameter],
    );
    const ended = await this.#owner.ended(rows.map(({ owner }) => owner));
    return ended.size === 0 ? leased : this.#claim(queues, [...ended], leaseMs);
  }

  /** @param ended owners whose leases end early */
  async #claim(queues: readonly number[], ended: readonly string[], leaseMs: number): Promise<LeasedQueue[]> {
    if (queues.length === 0) return [];
    const owner = this.#owner.id;
    return this.#storage.write(async (tx) => {
      const among = tx.among('lane', queues);
      const free = tx.among('owner', ended);
      await tx.run(
        `UPDATE webhook_progress SET owner = ?, leased_until = ?
         WHERE ${among.text} AND (owner IS NULL OR owner = ? OR leased_until <= ? OR ${free.text})`,
        [owner, addMs(tx.now, leaseMs), among.parameter, owner, tx.now, free.parameter],
      );
      const rows = await tx.all<LeasedQueueRow>(
        `SELECT p.lane AS queue, l.project AS project, l.webhook AS webhook, w.url AS url,
           w.secret AS secret, w.previous_secret AS previous_secret, w.previous_until AS previous_until,
           w.enabled AS enabled
         FROM webhook_progress p JOIN webhook_lane l ON l.number = p.lane
           LEFT JOIN webhook w ON w.id = l.webhook
         WHERE p.${among.text} AND p.owner = ?`,
        [among.parameter, owner],
      );
      return rows.map(toLeased);
    });
  }

  /**
   * The next notifications of the queue, in order, the head first. Fewer than `limit` means there are no more now.
   * Memory is that of `limit` notifications, however long the log is.
   */
  upcoming(queue: number, limit: number): Promise<Upcoming[]> {
    return readUpcoming(this.#storage, queue, limit);
  }

  /**
   * Records attempts and advances their queues in one commit, which also renews the leases. At most one outcome per
   * queue. What it returns is durable.
   */
  record(leaseMs: number, outcomes: readonly Outcome[]): Promise<RecordedAttempt[]> {
    const { id: owner } = this.#owner;
    return this.#storage.write((tx) =>
      recordOutcomes(tx, { owner, epoch: this.#storage.epoch, until: addMs(tx.now, leaseMs) }, outcomes),
    );
  }

  /** Owners of queues that are other live processes. */
  async #othersOf(rows: readonly WaitingRow[]): Promise<ReadonlySet<string>> {
    const others = new Set<string>();
    for (const { owner } of rows) if (owner !== null && owner !== this.#owner.id) others.add(owner);
    if (others.size > 0) for (const owner of await this.#owner.ended([...others])) others.delete(owner);
    return others;
  }
}

interface WaitingRow extends Omit<WaitingQueue, 'isElsewhere'> {
  readonly owner: string | null;
}

/** The columns of a webhook are null once it is deleted. */
interface LeasedQueueRow extends Pick<StoredSecrets, 'previous_secret' | 'previous_until'> {
  readonly queue: number;
  readonly project: number;
  readonly webhook: string;
  readonly url: string | null;
  readonly secret: string | null;
  readonly enabled: number | null;
}

function toLeased(row: LeasedQueueRow): LeasedQueue {
  return {
    queue: row.queue,
    project: row.project,
    webhook: row.webhook,
    url: row.url ?? '',
    secrets: toSecrets({ ...row, secret: row.secret ?? '' }),
    stopped: row.enabled !== 1,
  };
}

/** @param time ISO with 7 fraction digits */
function addMs(time: string, ms: number): string {
  return timestamp(Date.parse(time) + ms);
}
