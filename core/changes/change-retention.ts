import { type Age, DailyRetention, removeOfLog } from '../jobs/daily-retention.ts';

/** Removes old rows of the change log. */
export class ChangeRetention extends DailyRetention {
  protected remove(old: Age): Promise<void> {
    return this.inOrder((tx, after) => removeOfLog(tx, { table: 'change', number: 'sequence' }, old, after));
  }
}
