import type { Operations } from '../operations.ts';
import { dueSchedules, failSchedule, nextDue, publishSchedule } from './schedule.ts';

/**
 * While something is scheduled the clock is looked at this often, ms: timers run by a clock of their own, and
 * the wall clock may be set while one runs.
 */
const LOOK_AGAIN = 1000;
/** Pause after a failure that may pass, ms. */
const AFTER_FAILURE = 5000;

/**
 * Publishes schedules when they are due by the store's clock. All there is to know is in the database, so
 * schedules survive a restart; those that came due meanwhile are published at the start. Nothing scheduled:
 * no timer.
 */
export class Scheduler {
  readonly #operations: Pick<Operations, 'storage' | 'inProject'>;
  readonly #clock: () => Date;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  /** @param failed told of a schedule that could not be published */
  constructor(
    operations: Pick<Operations, 'storage' | 'inProject'>,
    clock: () => Date,
    failed: (error: unknown) => void,
  ) {
    this.#operations = operations;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Something was scheduled, or may be due. Returns at once. */
  wake(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Resolves when everything due has been published. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        await this.#publishDue();
      }
      const next = await nextDue(this.#operations.storage.sql);
      if (next !== undefined) this.#sleep(Math.min(LOOK_AGAIN, Date.parse(next) - this.#clock().getTime()));
    } catch (error) {
      this.#again = false;
      this.#failed(error);
      this.#sleep(AFTER_FAILURE);
    }
  }

  async #publishDue(): Promise<void> {
    const { storage, inProject } = this.#operations;
    const now = this.#clock().toISOString().replace('Z', '0000Z');
    for (const { job, project, actor } of await dueSchedules(storage.sql, now)) {
      if (this.#closed) return;
      try {
        await inProject(project, actor, (session) => publishSchedule(session, job));
      } catch (error) {
        // Its variants and the reason stay on record; the schedules behind it go on.
        this.#failed(error);
        await storage.write((tx) => failSchedule(tx, job, (error as Error).message));
      }
    }
  }

  #sleep(pause: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.max(pause, 10)).unref();
  }
}
