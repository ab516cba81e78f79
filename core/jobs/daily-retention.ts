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

  protected age(days: number): Age {
    const now = this.#clock().getTime();
    return { before: timestamp(now - days * DAY), now: timestamp(now) };
  }

  /** @param batch returns whether there may be more rows */
  protected async inBatches(batch: (tx: Transaction) => Promise<boolean>): Promise<void> {
    for (let more = true; more && !this.isStopped; ) more = await this.storage.write(batch);
  }

  /**
   * The same for rows in the order of their numbers.
   * @param batch returns the last number that it has read; undefined at the end
   */
  protected inOrder(batch: (tx: Transaction, after: number) => Promise<number | undefined>): Promise<void> {
    let last: number | undefined = 0;
    return this.inBatches(async (tx) => {
      last = await batch(tx, last ?? 0);
      return last !== undefined;
    });
  }
}

/** What is old, by times as they are stored. */
export interface Age {
  readonly before: string;
  readonly now: string;
}

/** Everything is old. */
export const ANY_AGE: Age = { before: '9999', now: '9999' };

/**
 * Of rows in the order of time, those up to the first that is not old. What a clock wrote that was ahead is among them: it would
 * end each search until its time has come.
 */
export function upToNew<Row>(
  rows: readonly Row[],
  timeOf: (row: Row) => string,
  { before, now }: Age,
): readonly Row[] {
  const first = rows.findIndex((row) => timeOf(row) >= before && timeOf(row) <= now);
  return first === -1 ? rows : rows.slice(0, first);
}

/** Rows that one transaction reads. */
export const RETENTION_BATCH = 500;
