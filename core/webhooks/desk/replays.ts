import { ServiceError } from '../../errors.ts';
import { endJob, findJob, progressJob, startJob } from '../../jobs/jobs.ts';
import type { Storage } from '../../storage/ports.ts';
import type { Sql, SqlValue } from '../../storage/sql.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import type { LaneRow } from '../lanes/find-lane.ts';
import type { Attempt } from '../lanes/lane-types.ts';
import { NOTIFICATION_STATE } from '../lanes/record-outcomes.ts';
import { type ByHand, messageOfRow, recordByHand, sendByHand } from './by-hand.ts';
import type { NotificationRow } from './notification-log.ts';

export const REPLAY = 'webhook-replay';

/** Which of the log are sent again: those created at this time or later, up to where the log is now. */
export interface ReplayRange {
  readonly since: string;
  /** Only those in this state; both when not given. */
  readonly state?: 'delivered' | 'dropped';
}

const BATCH = 100;

/**
 * Sends many of the log once more, as a job: in their order, one after another, in batches that memory does not
 * notice. It ends at the first that is not taken, because going on would put the others before it. What is queued
 * goes its own way meanwhile.
 */
export class Replays {
  readonly #storage: Storage;
  readonly #byHand: ByHand;
  readonly #failed: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  /** @param failed told of a replay that broke off for a reason of ours */
  constructor(storage: Storage, byHand: ByHand, failed: (error: unknown) => void) {
    this.#storage = storage;
    this.#byHand = byHand;
    this.#failed = failed;
  }

  /**
   * Enters the job; `run` begins it.
   * @throws conflict while another replay of the webhook runs
   */
  async enter(
    session: ProjectTransaction,
    lane: LaneRow,
    range: ReplayRange,
  ): Promise<{ id: string; total: number }> {
    const { tx } = session;
    const running = await tx.get(
      `SELECT id FROM job WHERE kind = ? AND state = 'running' AND subject LIKE ? LIMIT 1`,
      [REPLAY, `${lane.webhook}%`],
    );
    if (running)
      throw new ServiceError('conflict', 'Notifications of this webhook are being sent again already.');
    const states = statesOf(range).map(() => '?');
    const row = await tx.get<{ total: number }>(
      `SELECT count(*) AS total FROM webhook_notification
       WHERE lane = ? AND state IN (${states.join(', ')}) AND created >= ? AND event IS NOT NULL`,
      [lane.lane, ...statesOf(range), range.since],
    );
    const id = session.newId();
    const total = row?.total ?? 0;
    await startJob(tx, {
      id,
      kind: REPLAY,
      project: lane.project,
      subject: `${lane.webhook} since ${range.since}`,
      total,
    });
    if (total === 0) await endJob(tx, id, 'done');
    return { id, total };
  }

  /** In the background. */
  run(job: string, lane: LaneRow, range: ReplayRange): void {
    if (this.#closing.signal.aborted) return;
    const running = this.#work(job, lane, range)
      .catch(async (error: unknown) => {
        this.#failed(error);
        await this.#storage.write((tx) => endJob(tx, job, 'failed', 'It broke off; the log says why.'));
      })
      .catch(this.#failed)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when none runs. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.idle();
  }

  async #work(job: string, lane: LaneRow, range: ReplayRange): Promise<void> {
    const { sql } = this.#storage;
    const { signal } = this.#closing;
    const top = await sql.get<{ number: number | null }>(
      'SELECT max(number) AS number FROM webhook_notification',
    );
    let done = 0;
    for (let after = 0; ; ) {
      const rows = await nextRows(sql, lane.lane, range, after, top?.number ?? 0);
      for (const row of rows) {
        if (signal.aborted || (await findJob(sql, job)).state !== 'running') return;
        const secrets = await secretsNow(sql, lane.webhook);
        const sent = await sendByHand(
          this.#byHand,
          { ...lane, ...secrets },
          await messageOfRow(sql, lane, row),
          row.body,
          'replay',
          signal,
        );
        if (signal.aborted && !sent.taken) return;
        done++;
        await this.#storage.write(async (tx) => {
          await recordByHand(tx, row.number, sent.attempts);
          if (sent.taken) await progressJob(tx, job, done);
          else await endJob(tx, job, 'failed', refusal(row, sent.attempts.at(-1)));
        });
        if (!sent.taken) return;
        after = row.number;
      }
      if (rows.length < BATCH) break;
    }
    await this.#storage.write((tx) => endJob(tx, job, 'done'));
  }
}

/** Replays that a stop or a crash broke off do not go on by themselves: people decide from where. */
export async function failReplaysBrokenOff(storage: Storage): Promise<void> {
  const left = await storage.sql.all<{ id: string }>(
    `SELECT id FROM job WHERE kind = '${REPLAY}' AND state = 'running'`,
  );
  if (left.length === 0) return;
  await storage.write(async (tx) => {
    for (const { id } of left) await endJob(tx, id, 'failed', 'The service stopped meanwhile.');
  });
}

/** A replay of many takes longer than it takes to replace a secret. */
async function secretsNow(
  sql: Sql,
  webhook: string,
): Promise<Pick<LaneRow, 'secret' | 'previousSecret' | 'previousUntil'>> {
  const row = await sql.get<{
    secret: string;
    previous_secret: string | null;
    previous_until: string | null;
  }>('SELECT secret, previous_secret, previous_until FROM webhook WHERE id = ?', [webhook]);
  if (!row) throw new Error('The webhook was deleted while notifications were sent again.');
  return { secret: row.secret, previousSecret: row.previous_secret, previousUntil: row.previous_until };
}

function refusal({ id, created }: NotificationRow, attempt: Attempt | undefined): string {
  const { status = null, error = null } = attempt ?? {};
  const why = status === null ? (error ?? 'did not answer') : `answered ${status}`;
  return `The receiver did not take ${id} of ${created} (${why}).`;
}

function statesOf({ state }: ReplayRange): number[] {
  return state === undefined
    ? [NOTIFICATION_STATE.delivered, NOTIFICATION_STATE.dropped]
    : [NOTIFICATION_STATE[state]];
}

/** Rows get their numbers in the order in which their lane settles them. */
function nextRows(
  sql: Sql,
  lane: number,
  range: ReplayRange,
  after: number,
  last: number,
): Promise<NotificationRow[]> {
  const parameters: SqlValue[] = [];
  const selects = statesOf(range).map((state) => {
    parameters.push(lane, state, after, last, range.since, BATCH);
    return `SELECT * FROM (SELECT number, id, state, kind, created, event, part, note, body
      FROM webhook_notification WHERE lane = ? AND state = ? AND number > ? AND number <= ? AND created >= ?
        AND event IS NOT NULL ORDER BY number LIMIT ?) AS rows_${state}`;
  });
  return sql.all<NotificationRow & Record<string, SqlValue>>(
    `${selects.join(' UNION ALL ')} ORDER BY number LIMIT ${BATCH}`,
    parameters,
  );
}
