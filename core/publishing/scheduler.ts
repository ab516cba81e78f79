import type { ServiceError } from '../errors.ts';
import { BackgroundDuty } from '../jobs/background-duty.ts';
import { isRefusal, reasonOf } from '../jobs/reason-of.ts';
import type { Duty } from '../storage/owner.ts';
import { timestamp } from '../storage/timestamp.ts';
import type { Operations } from '../transaction/operations.ts';
import { dueSchedules, failSchedule, nextDue, publishSchedule } from './schedule.ts';

/** Interval of clock checks while something is scheduled, ms: the wall clock may be set while a timer runs. */
const CHECK_INTERVAL = 1000;
/** Pause after a temporary failure, ms; it doubles up to the longest. */
const AFTER_FAILURE = 1000;
const LONGEST_PAUSE = 300_000;

/** A schedule that waits after a temporary failure. */
interface Delay {
  /** By the monotonic clock, ms. */
  readonly until: number;
  readonly pause: number;
}

/**
 * Publishes schedules when they are due by the clock of this process; those that came due while none did, at the start. It
 * keeps no state outside the database, and no timer while nothing is scheduled.
 */
export class Scheduler extends BackgroundDuty {
  readonly #operations: Pick<Operations, 'storage' | 'inProject'>;
  readonly #clock: () => Date;
  /** By job. */
  readonly #delays = new Map<string, Delay>();

  /** @param failed called for each failed schedule */
  constructor(
    operations: Pick<Operations, 'storage' | 'inProject'>,
    clock: () => Date,
    failed: (error: unknown) => void,
    duty: Duty,
  ) {
    super({ failed, afterFailure: AFTER_FAILURE, duty });
    this.#operations = operations;
    this.#clock = clock;
  }

  protected async next(): Promise<number | undefined> {
    const next = await nextDue(this.#operations.storage.sql);
    if (this.#delays.size > 0) return CHECK_INTERVAL;
    return next === undefined
      ? undefined
      : Math.min(CHECK_INTERVAL, Date.parse(next) - this.#clock().getTime());
  }

  protected async work(): Promise<void> {
    const { storage, inProject } = this.#operations;
    const now = timestamp(this.#clock());
    const due = await dueSchedules(storage.sql, now);
    for (const job of this.#delays.keys()) if (!due.some((one) => one.job === job)) this.#delays.delete(job);
    for (const { job, project, actor } of due) {
      if (this.isStopped) return;
      const delay = this.#delays.get(job);
      if (delay && performance.now() < delay.until) continue;
      try {
        await inProject(project, actor, (transaction) => publishSchedule(transaction, job));
        this.#delays.delete(job);
      } catch (error) {
        this.failed(error);
        if (isPermanent(error))
          await inProject(project, actor, (transaction) => failSchedule(transaction, job, reasonOf(error)));
        else {
          const pause = Math.min((delay?.pause ?? AFTER_FAILURE / 2) * 2, LONGEST_PAUSE);
          this.#delays.set(job, { until: performance.now() + pause, pause });
        }
      }
    }
  }
}

/** A full disk, a busy database or an archived project is temporary; a broken rule is not. */
function isPermanent(error: unknown): error is ServiceError {
  return isRefusal(error) && error.errorName !== 'unknownProject';
}
