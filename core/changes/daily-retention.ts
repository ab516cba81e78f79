import { WakeLoop } from '../jobs/wake-loop.ts';
import { type Duty, SOLE_DUTY } from '../storage/owner.ts';
import type { Storage, Transaction } from '../storage/ports.ts';
import { timestamp } from '../storage/timestamp.ts';

const DAY = 86_400_000;

/** Removes old rows at the start and once a day, in transactions of a few milliseconds. */
export abstract class DailyRetention {
  protected readonly storage: Storage;
  readonly #clock: () => Date;
  readonly #loop: WakeLoop;

  constructor(storage: Storage, clock: () => Date, failed: (error: unknown) => void, duty: Duty = SOLE_DUTY) {
    this.storage = storage;
    this.#clock = clock;
    this.#loop = new WakeLoop({
      work: () => this.removeOld(),
      next: async () => DAY,
      failed,
      afterFailure: DAY,
      duty,
    });
  }

  protected get isStopped(): boolean {
    return this.#loop.isStopped;
  }

  abstract removeOld(): Promise<void>;

  start(): void {
    this.#loop.start();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  protected daysAgo(days: number): string {
    return timestamp(this.#clock().getTime() - days * DAY);
  }

  /** @param batch returns whether there may be more rows */
  protected async inBatches(batch: (tx: Transaction) => Promise<boolean>): Promise<void> {
    for (let more = true; more && !this.isStopped; ) more = await this.storage.write(batch);
  }
}

/** Rows that one transaction reads. */
export const RETENTION_BATCH = 500;
