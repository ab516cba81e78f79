/**
 * The port between what is to be told and whoever sends it: one lane for each webhook, in the order of commit.
 *
 * Events lie in the log of their project until every lane is past them. A lane reads its next ones straight
 * from there (`upcoming`), and a notification gets a row only with the result of its first attempt (`record`):
 * one write for each, none before it is sent. Its id and its bytes follow from the event alone, so that a crash
 * between sending and recording repeats the very same request.
 *
 * A lane is worked on by whoever leases it. Times are the store's (`tx.now`): ISO with 7 fraction digits, UTC.
 */

import type { Storage } from '../../storage/ports.ts';
import { timestamp } from '../../storage/timestamp.ts';
import type { LeasedLane, Outcome, Recorded, Upcoming, WaitingLane } from './lane-types.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { readUpcoming } from './upcoming.ts';

export class LaneStore {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /**
   * Lanes with something to send, now or later; those that are paused are left out. One statement. After a commit
   * it is worth asking for the projects in `CommittedChanges.announced`, and where a webhook itself was changed.
   * @param after only what is new: of this project (storage number), for events from this number on (the
   *   sequence of the commit × 1000), and heads whatever their age. Without it all lanes there are.
   */
  async waiting(after?: { readonly project: number; readonly event: number }): Promise<WaitingLane[]> {
    const from = after?.event ?? 0;
    return this.#storage.sql.all<{ lane: number; project: number; due: string | null; attempts: number }>(
      `SELECT l.number AS lane, l.project AS project, p.next_due AS due, coalesce(n.attempts, 0) AS attempts
       FROM webhook_lane l JOIN webhook_progress p ON p.lane = l.number JOIN webhook w ON w.id = l.webhook
         LEFT JOIN webhook_notification n ON n.number = p.head
       WHERE w.enabled = 1 ${after ? 'AND l.project = ?' : ''} AND (p.head IS NOT NULL OR EXISTS (
         SELECT 1 FROM webhook_event e WHERE e.project = l.project AND e.kind & l.mask <> 0
           AND e.number >= CASE WHEN p.cursor > ? THEN p.cursor ELSE ? END
           AND (e.number > p.cursor OR e.count > (p.part + 1) * 1000)))
       ORDER BY l.number`,
      after ? [after.project, from, from] : [from, from],
    );
  }

  /**
   * Leases lanes that nobody else holds now; those that somebody does are left out. Whoever holds one already
   * gets it again, with its state as of now: that is also how a lane is read anew.
   * @param owner unique to this dispatcher's run
   * @param leaseMs longer than an attempt may take
   */
  async claim(lanes: readonly number[], owner: string, leaseMs: number): Promise<LeasedLane[]> {
    if (lanes.length === 0) return [];
    return this.#storage.write(async (tx) => {
      const among = tx.among('lane', lanes);
      const until = later(tx.now, leaseMs);
      await tx.run(
        `UPDATE webhook_progress SET owner = ?, leased_until = ?
         WHERE ${among.text} AND (owner IS NULL OR owner = ? OR leased_until <= ?)`,
        [owner, until, among.parameter, owner, tx.now],
      );
      const rows = await tx.all<LaneRow>(
        `SELECT p.lane AS lane, l.project AS project, j.id AS project_id, l.webhook AS webhook, w.url AS url,
           w.secret AS secret, w.previous_secret AS previous_secret, w.previous_until AS previous_until,
           w.enabled AS enabled, p.next_due AS next_due, p.failing_since AS failing_since,
           p.dead_since AS dead_since
         FROM webhook_progress p JOIN webhook_lane l ON l.number = p.lane JOIN project j ON j.number = l.project
           LEFT JOIN webhook w ON w.id = l.webhook
         WHERE p.${among.text} AND p.owner = ?`,
        [among.parameter, owner],
      );
      return rows.map((row) => toLeased(row, until));
    });
  }

  /** Gives lanes back that nothing is in flight on. */
  async release(lanes: readonly number[], owner: string): Promise<void> {
    if (lanes.length === 0) return;
    await this.#storage.write(async (tx) => {
      const among = tx.among('lane', lanes);
      await tx.run(
        `UPDATE webhook_progress SET owner = NULL, leased_until = NULL WHERE ${among.text} AND owner = ?`,
        [among.parameter, owner],
      );
    });
  }

  /**
   * What the lane is to send next, in order, the head first; at most `limit`, fewer than that means there is no
   * more for now. Memory is that of `limit` notifications, however long the log is.
   */
  upcoming(lane: number, limit: number): Promise<Upcoming[]> {
    return readUpcoming(this.#storage, lane, limit);
  }

  /**
   * Enters attempts and moves their lanes on, all of them in one commit; leases are renewed with it. At most
   * one outcome a lane. What is in the answer is durable.
   */
  record(owner: string, leaseMs: number, outcomes: readonly Outcome[]): Promise<Recorded[]> {
    return this.#storage.write((tx) =>
      recordOutcomes(tx, { owner, epoch: this.#storage.epoch, until: later(tx.now, leaseMs) }, outcomes),
    );
  }
}

interface LaneRow {
  readonly lane: number;
  readonly project: number;
  readonly project_id: string;
  readonly webhook: string;
  readonly url: string | null;
  readonly secret: string | null;
  readonly previous_secret: string | null;
  readonly previous_until: string | null;
  readonly enabled: number | null;
  readonly next_due: string | null;
  readonly failing_since: string | null;
  readonly dead_since: string | null;
}

function toLeased(row: LaneRow, leasedUntil: string): LeasedLane {
  const { previous_secret: previous, previous_until: until } = row;
  return {
    lane: row.lane,
    project: row.project,
    projectId: row.project_id,
    webhook: row.webhook,
    url: row.url ?? '',
    secrets: {
      current: row.secret ?? '',
      previous: previous !== null && until !== null ? { secret: previous, until } : null,
    },
    stopped: row.enabled !== 1,
    due: row.next_due,
    failingSince: row.failing_since,
    deadSince: row.dead_since,
    leasedUntil,
  };
}

/** @param time ISO with 7 fraction digits */
function later(time: string, ms: number): string {
  return timestamp(Date.parse(time) + ms);
}
