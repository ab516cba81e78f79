import type { Duty } from '../storage/owner.ts';
import type { Storage, Transaction } from '../storage/ports.ts';
import { timestamp } from '../storage/timestamp.ts';
import { BackgroundDuty } from './background-duty.ts';

const DAY = 86_400_000;

export interface RetentionOptions {
  readonly storage: Storage;
  readonly clock: () => Date;
  readonly failed: (error: unknown) => void;
  readonly duty?: Duty;
}

/** Removes old rows at the start and once a day, in transactions of a few milliseconds. */
export abstract class DailyRetention extends BackgroundDuty {
  protected readonly storage: Storage;
  readonly #clock: () => Date;

  constructor({ storage, clock, ...options }: RetentionOptions) {
    super({ ...options, afterFailure: DAY });
    this.storage = storage;
    this.#clock = clock;
  }

  abstract removeOld(): Promise<void>;

  protected work(): Promise<void> {
    return this.removeOld();
  }

  protected async next(): Promise<number> {
    return DAY;
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
