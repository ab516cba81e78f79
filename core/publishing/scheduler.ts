import { ServiceError } from '../errors.ts';
import { WakeLoop } from '../jobs/wake-loop.ts';
import { timestamp } from '../storage/timestamp.ts';
import type { Operations } from '../transaction/operations.ts';
import { dueSchedules, failSchedule, nextDue, publishSchedule } from './schedule.ts';

/**
 * While something is scheduled the clock is looked at this often, ms: timers run by a clock of their own, and
 * the wall clock may be set while one runs.
 */
const LOOK_AGAIN = 1000;
/** Pauses after failures that may pass, ms: the first, and the one that doubling ends at. */
const AFTER_FAILURE = 1000;
const LONGEST_PAUSE = 300_000;

/** A schedule that met a failure that may pass. */
interface Held {
  /** By the monotonic clock, ms. */
  readonly until: number;
  readonly pause: number;
}

/**
 * Publishes schedules when they are due by the store's clock. All there is to know is in the database, so
 * schedules survive a restart; those that came due meanwhile are published at the start. Nothing scheduled:
 * no timer.
 */
export class Scheduler {
  readonly #operations: Pick<Operations, 'storage' | 'inProject'>;
  readonly #clock: () => Date;
  readonly #failed: (error: unknown) => void;
  readonly #held = new Map<string, Held>();
  readonly #loop: WakeLoop;

  /** @param failed told of a schedule that could not be published */
  constructor(
    operations: Pick<Operations, 'storage' | 'inProject'>,
    clock: () => Date,
    failed: (error: unknown) => void,
  ) {
    this.#operations = operations;
    this.#clock = clock;
    this.#failed = failed;
    this.#loop = new WakeLoop({
      work: () => this.#publishDue(),
      next: () => this.#nextLook(),
      failed,
      afterFailure: AFTER_FAILURE,
    });
  }

  /** Something was scheduled, or may be due. Returns at once. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves when everything due has been published. */
  idle(): Promise<void> {
    return this.#loop.idle();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  async #nextLook(): Promise<number | undefined> {
    const next = await nextDue(this.#operations.storage.sql);
    if (this.#held.size > 0) return LOOK_AGAIN;
    return next === undefined ? undefined : Math.min(LOOK_AGAIN, Date.parse(next) - this.#clock().getTime());
  }

  async #publishDue(): Promise<void> {
    const { storage, inProject } = this.#operations;
    const now = timestamp(this.#clock());
    const due = await dueSchedules(storage.sql, now);
    for (const job of this.#held.keys()) if (!due.some((one) => one.job === job)) this.#held.delete(job);
    for (const { job, project, actor } of due) {
      if (this.#loop.closed) return;
      const held = this.#held.get(job);
      if (held && performance.now() < held.until) continue;
      try {
        await inProject(project, actor, (transaction) => publishSchedule(transaction, job));
        this.#held.delete(job);
      } catch (error) {
        // The schedules behind it go on.
        this.#failed(error);
        if (isForGood(error))
          await inProject(project, actor, (transaction) => failSchedule(transaction, job, reasonOf(error)));
        else {
          const pause = Math.min((held?.pause ?? AFTER_FAILURE / 2) * 2, LONGEST_PAUSE);
          this.#held.set(job, { until: performance.now() + pause, pause });
        }
      }
    }
  }
}

/** A full disk, a busy database or a project that was archived just now may pass; a rule that is broken stays so. */
function isForGood(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.errorName !== 'unknownProject' && error.status < 500;
}

/** Findings that a job's reason names; the rest is told by publishing once more. */
const FINDINGS_TOLD = 10;

function reasonOf({ message, validationErrors = [] }: ServiceError): string {
  const told = validationErrors.slice(0, FINDINGS_TOLD).map((finding) => finding.message);
  const more = validationErrors.length - told.length;
  return [message, ...told, ...(more > 0 ? [`… and ${more} more.`] : [])].join('\n');
}
