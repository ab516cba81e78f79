import { ServiceError } from '../../errors.ts';
import { failJobsOfEndedProcesses } from '../../jobs/interrupted-jobs.ts';
import { REPLAY } from '../../jobs/job-kinds.ts';
import { endJob, type Job, progressJob, startJob, stateOfOwnJob } from '../../jobs/jobs.ts';
import { isRefusal, reasonOf } from '../../jobs/reason-of.ts';
import { untilDone } from '../../jobs/until-done.ts';
import type { Storage, Transaction } from '../../storage/ports.ts';
import type { Sql, SqlValue } from '../../storage/sql.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import type { WebhookQueue } from '../queues/find-webhook-queue.ts';
import type { Attempt } from '../queues/queue-types.ts';
import { NOTIFICATION_STATE } from '../queues/record-outcomes.ts';
import { type Secrets, type StoredSecrets, toSecrets } from '../queues/secrets.ts';
import { LOGGED_COLUMNS, type NotificationRow } from './notification-log.ts';
import { type ManualSending, messageOfRow, recordManualAttempts, sendManually } from './send-manually.ts';

/** Which notifications are replayed: created at this time or later, up to the newest when the replay starts. */
export interface ReplayRange {
  readonly since: string;
  /** Only this state; both without it. */
  readonly state?: 'delivered' | 'dropped';
}

const BATCH = 100;

/**
 * Replays many notifications as a job, in their order, one at a time, in batches that bound memory. The job ends at
 * the first refusal: to continue would deliver later notifications before that one. The queue itself is not affected.
 */
export class Replays {
  readonly #storage: Storage;
  readonly #manualSending: ManualSending;
  readonly #failed: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  /** @param failed receives internal errors that end a replay */
  constructor(storage: Storage, manualSending: ManualSending, failed: (error: unknown) => void) {
    this.#storage = storage;
    this.#manualSending = manualSending;
    this.#failed = failed;
  }

  /**
   * Creates the job; `run` starts it.
   * @throws conflict while another replay of the webhook runs
   */
  async create(
    transaction: ProjectTransaction,
    queue: WebhookQueue,
    range: ReplayRange,
  ): Promise<{ id: string; total: number }> {
    const { tx } = transaction;
    const running = await tx.get(
      `SELECT id FROM job WHERE kind = ? AND state = 'running' AND subject LIKE ? LIMIT 1`,
      [REPLAY, `${queue.webhook}%`],
    );
    if (running) throw new ServiceError('conflict', 'A replay of this webhook is running already.');
    const states = statesOf(range).map(() => '?');
    const row = await tx.get<{ total: number }>(
      `SELECT count(*) AS total FROM webhook_notification
       WHERE lane = ? AND state IN (${states.join(', ')}) AND created >= ? AND event IS NOT NULL`,
      [queue.number, ...statesOf(range), range.since],
    );
    const id = transaction.newId();
    const total = row?.total ?? 0;
    await startJob(tx, {
      id,
      kind: REPLAY,
      project: queue.project,
      subject: `${queue.webhook} since ${range.since}`,
      total,
      owner: this.#storage.owner.id,
    });
    if (total === 0) await endJob(tx, id, 'done');
    return { id, total };
  }

  /** Runs the job in the background. */
  run(job: string, queue: WebhookQueue, range: ReplayRange): void {
    if (this.#closing.signal.aborted) return;
    const running = this.#work(job, queue, range)
      .catch(async (error: unknown) => {
        if (!isRefusal(error)) this.#failed(error);
        const end = (tx: Transaction) => this.#end(tx, job, 'failed', reasonOf(error));
        await untilDone(() => this.#storage.write(end), this.#failed, this.#closing.signal);
      })
      .catch(this.#failed)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when no replay runs. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.idle();
  }

  async #work(job: string, queue: WebhookQueue, range: ReplayRange): Promise<void> {
    const { sql, owner } = this.#storage;
    const { signal } = this.#closing;
    const top = await sql.get<{ number: number | null }>(
      'SELECT max(number) AS number FROM webhook_notification',
    );
    let done = 0;
    for (let after = 0; ; ) {
      const rows = await nextRows(sql, queue.number, range, after, top?.number ?? 0);
      for (const row of rows) {
        if (signal.aborted || (await stateOfOwnJob(sql, job, owner.id)) !== 'running') return;
        const secrets = await currentSecrets(sql, queue.webhook);
        const sent = await sendManually(
          this.#manualSending,
          { ...queue, secrets },
          await messageOfRow(sql, queue, row),
          row.body,
          'replay',
          signal,
        );
        if (signal.aborted && !sent.accepted) return;
        done++;
        await this.#storage.write(async (tx) => {
          await recordManualAttempts(tx, row.number, sent.attempts);
          if (sent.accepted) await progressJob(tx, job, done);
          else await this.#end(tx, job, 'failed', refusal(row, sent.attempts.at(-1)));
        });
        if (!sent.accepted) return;
        after = row.number;
      }
      if (rows.length < BATCH) break;
    }
    await this.#storage.write((tx) => this.#end(tx, job, 'done'));
  }

  /** Leaves a job that was canceled, or that another process has ended. */
  async #end(tx: Transaction, job: string, state: 'done' | 'failed', error?: string): Promise<void> {
    if ((await stateOfOwnJob(tx, job, this.#storage.owner.id)) === 'running')
      await endJob(tx, job, state, error);
  }
}

/** The newest replay of a webhook. */
export function lastReplay(
  sql: Sql,
  webhook: string,
): Promise<Pick<Job, 'id' | 'state' | 'done' | 'total' | 'error'> | undefined> {
  return sql.get(
    `SELECT id, state, done, total, error FROM job WHERE kind = ? AND subject LIKE ?
     ORDER BY created DESC, id LIMIT 1`,
    [REPLAY, `${webhook}%`],
  );
}

/**
 * Marks replays as failed that a stop, a crash or a stall interrupted. They do not resume: operators decide where to
 * continue.
 */
export function failInterruptedReplays(storage: Storage): Promise<void> {
  return failJobsOfEndedProcesses(storage, [REPLAY], 'The service stopped during the replay.');
}

/** A long replay may outlast a secret rotation. */
async function currentSecrets(sql: Sql, webhook: string): Promise<Secrets> {
  const row = await sql.get<StoredSecrets>(
    'SELECT secret, previous_secret, previous_until FROM webhook WHERE id = ?',
    [webhook],
  );
  if (!row) throw new ServiceError('webhookNotFound', 'The webhook was deleted during the replay.');
  return toSecrets(row);
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

/** Rows get their numbers in the order in which their queue settles them. */
function nextRows(
  sql: Sql,
  queue: number,
  range: ReplayRange,
  after: number,
  last: number,
): Promise<NotificationRow[]> {
  const parameters: SqlValue[] = [];
  const selects = statesOf(range).map((state) => {
    parameters.push(queue, state, after, last, range.since, BATCH);
    return `SELECT * FROM (SELECT ${LOGGED_COLUMNS}
      FROM webhook_notification WHERE lane = ? AND state = ? AND number > ? AND number <= ? AND created >= ?
        AND event IS NOT NULL ORDER BY number LIMIT ?) AS rows_${state}`;
  });
  return sql.all<NotificationRow>(
    `${selects.join(' UNION ALL ')} ORDER BY number LIMIT ${BATCH}`,
    parameters,
  );
}
