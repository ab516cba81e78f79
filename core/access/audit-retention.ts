import { DailyRetention, type RetentionOptions, removeOfLog } from '../jobs/daily-retention.ts';

/** Removes old entries of the audit log. */
export class AuditRetention extends DailyRetention {
  readonly #days: number | null;

  /** @param days that entries are kept; null = forever */
  constructor(options: RetentionOptions, days: number | null) {
    super(options);
    this.#days = days;
  }

  async removeOld(): Promise<void> {
    if (this.#days === null) return;
    const age = this.age(this.#days);
    await this.inOrder((tx, after) => removeOfLog(tx, { table: 'audit', number: 'number' }, age, after));
  }
}
