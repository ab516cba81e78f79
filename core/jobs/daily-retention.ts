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
  readonly #days: number | null;

  /** @param days that rows are kept; null = forever */
  constructor({ storage, clock, ...options }: RetentionOptions, days: number | null) {
    super({ ...options, afterFailure: DAY });
    this.storage = storage;
    this.#clock = clock;
    this.#days = days;
  }

  async removeOld(): Promise<void> {
    if (this.#days === null) return;
    const now = this.#clock().getTime();
    await this.remove({ before: timestamp(now - this.#days * DAY), now: timestamp(now) });
  }

  protected abstract remove(old: Age): Promise<void>;

  protected work(): Promise<void> {
    return this.removeOld();
  }

  protected async next(): Promise<number> {
    return DAY;
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

/**
 * Removes old rows of a log, which is in the order of time. Its last row stays, because the number of the next may follow from it.
 * @returns the last number that was read; undefined at the end
 */
export async function removeOfLog(
  tx: Transaction,
  { table, number }: { readonly table: string; readonly number: string },
  age: Age,
  after: number,
): Promise<number | undefined> {
  const rows = await tx.all<{ number: number; at: string }>(
    `SELECT ${number} AS number, at FROM ${table} WHERE ${number} > ? ORDER BY ${number} LIMIT ${RETENTION_BATCH}`,
    [after],
  );
  const passed = upToNew(rows, ({ at }) => at, age);
  const last = passed.at(-1)?.number;
  if (last === undefined) return undefined;
  await tx.run(
    `DELETE FROM ${table} WHERE ${number} > ? AND ${number} <= ? AND at < ?
       AND ${number} < (SELECT max(${number}) FROM ${table})`,
    [after, last, age.before],
  );
  return passed.length === RETENTION_BATCH ? last : undefined;
}
