import { type Age, DailyRetention, removeOfLog } from '../jobs/daily-retention.ts';

/** Removes old entries of the audit log. */
export class AuditRetention extends DailyRetention {
  protected remove(old: Age): Promise<void> {
    return this.inOrder((tx, after) => removeOfLog(tx, { table: 'audit', number: 'number' }, old, after));
  }
}
