import type { Storage, Transaction } from '../storage/ports.ts';
import { timestamp } from '../storage/timestamp.ts';

const DAY = 86_400_000;

/** Removes old rows at the start and once a day, in transactions of a few milliseconds. */
export abstract class DailyRetention {
  protected readonly storage: Storage;
  readonly #clock: () => Date;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(storage: Storage, clock: () => Date, failed: (error: unknown) => void) {
    this.storage = storage;
    this.#clock = clock;
    this.#failed = failed;
  }

  protected get isClosed(): boolean {
    return this.#closed;
  }

  abstract removeOld(): Promise<void>;

  /** Starts the first run; further runs follow once a day. */
  start(): void {
    if (this.#closed) return;
    this.#running = this.removeOld().catch(this.#failed);
    this.#timer = setTimeout(() => this.start(), DAY).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  protected daysAgo(days: number): string {
    return timestamp(this.#clock().getTime() - days * DAY);
  }

  /** @param batch returns whether there may be more rows */
  protected async inBatches(batch: (tx: Transaction) => Promise<boolean>): Promise<void> {
    for (let more = true; more && !this.#closed; ) more = await this.storage.write(batch);
  }
}

/** Rows that one transaction reads. */
export const RETENTION_BATCH = 500;
