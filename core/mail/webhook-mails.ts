import type { Storage, Transaction } from '../storage/ports.ts';
import type { Occasion } from './occasion.ts';
import { queueMail } from './outbox.ts';

/** Spec 6.1: mail after one hour of repeated failures. */
const HOUR = 3_600_000;

/** What is to be known of a lane after an attempt; ISO times. */
export interface LaneTurn {
  readonly lane: number;
  /** Before the attempt, and after it. */
  readonly failingSince: readonly [string | null, string | null];
  readonly deadSince: readonly [string | null, string | null];
}

interface LaneRow {
  readonly lane: number;
  readonly project: number;
  readonly project_name: string;
  readonly webhook: string;
  readonly name: string;
  readonly url: string;
  /** What was mailed of failures that began at `mailed_at`. */
  readonly mailed: 'failing' | 'dropped' | null;
  readonly mailed_at: string | null;
  readonly failing_since: string | null;
  readonly dead_since: string | null;
  /** When the last attempt at what blocks it began; null where nothing does. */
  readonly tried: string | null;
}

/**
 * Queues the mails of webhooks: after an hour of failures, when a notification was dropped after three days, and
 * when it works again after one of those. What was mailed is kept with the lane, so that each goes out once; a
 * crash between an attempt and its mail is made good at the next start, a write that failed with the next attempt of
 * any lane. An hour without attempts, paused or stopped, is none of failures.
 */
export class WebhookMails {
  readonly #storage: Pick<Storage, 'sql' | 'write'>;
  readonly #clock: () => Date;
  readonly #queued: () => void;
  readonly #failed: (error: unknown) => void;
  #running: Promise<void> = Promise.resolve();
  /** A look failed: some lane was not looked at. */
  #owes = false;

  /** @param queued told that the outbox has something new */
  constructor(
    storage: Pick<Storage, 'sql' | 'write'>,
    clock: () => Date,
    queued: () => void,
    failed: (error: unknown) => void,
  ) {
    this.#storage = storage;
    this.#clock = clock;
    this.#queued = queued;
    this.#failed = failed;
  }

  /** To be called after each attempt's record; asks the database only where a mail may be due. */
  told({ lane, failingSince: [before, after], deadSince }: LaneTurn): void {
    const recovered = before !== null && after !== before;
    const dropped = deadSince[1] !== null && deadSince[1] !== deadSince[0];
    const long = after !== null && this.#clock().getTime() - Date.parse(after) >= HOUR;
    if (this.#owes) this.#look();
    else if (recovered || dropped || long) this.#look(lane);
  }

  /** Looks at every lane: what happened right before a crash may not have been mailed. */
  start(): void {
    this.#look();
  }

  /** Resolves when all that was told has been looked at. */
  async close(): Promise<void> {
    await this.#running;
  }

  #look(lane?: number): void {
    this.#running = this.#running
      .then(async () => {
        if (lane === undefined) this.#owes = false;
        const lanes = (await this.#lanes(lane)).filter((row) => this.#mails(row).length > 0);
        if (lanes.length === 0) return;
        await this.#storage.write(async (tx) => {
          for (const row of lanes) await this.#settle(tx, row);
        });
        this.#queued();
      })
      .catch((error: unknown) => {
        this.#owes = true;
        this.#failed(error);
      });
  }

  #lanes(lane?: number): Promise<LaneRow[]> {
    const which =
      lane === undefined ? '(l.mailed IS NOT NULL OR g.failing_since IS NOT NULL)' : 'l.number = ?';
    return this.#storage.sql.all<LaneRow & Record<string, string | number | null>>(
      `SELECT l.number AS lane, l.project AS project, p.name AS project_name, w.id AS webhook, w.name AS name,
         w.url AS url, l.mailed AS mailed, l.mailed_at AS mailed_at, g.failing_since AS failing_since,
         g.dead_since AS dead_since,
         (SELECT max(a.at) FROM webhook_attempt a WHERE a.notification = g.head AND a.manual = 0) AS tried
       FROM webhook_lane l JOIN webhook_progress g ON g.lane = l.number JOIN webhook w ON w.id = l.webhook
         JOIN project p ON p.number = l.project WHERE ${which}`,
      lane === undefined ? [] : [lane],
    );
  }

  #mails({
    mailed,
    mailed_at,
    failing_since,
    dead_since,
    tried,
  }: LaneRow): { kind: MailKind; since: string }[] {
    const mails: { kind: MailKind; since: string }[] = [];
    const over = mailed !== null && mailed_at !== null && mailed_at !== failing_since;
    if (over) mails.push({ kind: 'webhook-recovered', since: mailed_at });
    if (failing_since === null) return mails;
    const told = over ? null : mailed;
    const long = tried !== null && Date.parse(tried) - Date.parse(failing_since) >= HOUR;
    if (told === null && long && dead_since === null)
      mails.push({ kind: 'webhook-failing', since: failing_since });
    if (told !== 'dropped' && dead_since !== null)
      mails.push({ kind: 'webhook-dropped', since: failing_since });
    return mails;
  }

  async #settle(tx: Transaction, row: LaneRow): Promise<void> {
    let { mailed, mailed_at } = row;
    const webhook = { id: row.webhook, name: row.name, url: row.url, project: row.project_name };
    for (const { kind, since } of this.#mails(row)) {
      await queueMail(tx, row.project, { kind, webhook, since });
      [mailed, mailed_at] = kind === 'webhook-recovered' ? [null, null] : [STATES[kind], since];
    }
    await tx.run('UPDATE webhook_lane SET mailed = ?, mailed_at = ? WHERE number = ?', [
      mailed,
      mailed_at,
      row.lane,
    ]);
  }
}

type MailKind = Exclude<Occasion['kind'], 'key-expiring'>;
const STATES = { 'webhook-failing': 'failing', 'webhook-dropped': 'dropped' } as const;
