import type { RetentionSettings } from '../../config/retention-settings.ts';
import {
  DailyRetention,
  RETENTION_BATCH,
  type RetentionOptions,
  removeOfLog,
} from '../jobs/daily-retention.ts';
import type { Transaction } from '../storage/ports.ts';

/** Removes changes and versions that are older than the settings allow; never drafts and published versions. */
export class ChangeRetention extends DailyRetention {
  readonly #settings: Pick<RetentionSettings, 'changeDays' | 'revisionDays'>;

  constructor(options: RetentionOptions, settings: Pick<RetentionSettings, 'changeDays' | 'revisionDays'>) {
    super(options);
    this.#settings = settings;
  }

  async removeOld(): Promise<void> {
    const { changeDays, revisionDays } = this.#settings;
    if (changeDays !== null) {
      const age = this.age(changeDays);
      await this.inOrder((tx, after) => removeOfLog(tx, { table: 'change', number: 'sequence' }, age, after));
    }
    if (revisionDays === null) return;
    const { before } = this.age(revisionDays);
    await this.inOrder((tx, after) => removeVersions(tx, before, after));
  }
}

/**
 * Keeps drafts and published versions of archived variants too, because those can be restored. A version has been one of them
 * until a later one was written, however old it is.
 * @returns the last number that was read; undefined at the end
 */
async function removeVersions(tx: Transaction, before: string, after: number): Promise<number | undefined> {
  const rows = await tx.all<{ number: number; created: string; live: number }>(
    `SELECT n.number AS number, n.created AS created,
       CASE WHEN v.draft = n.number OR v.published = n.number THEN 1 ELSE 0 END AS live
     FROM version n JOIN variant v ON v.number = n.variant WHERE n.number > ? ORDER BY n.number LIMIT ${RETENTION_BATCH}`,
    [after],
  );
  const old = rows.filter(({ created, live }) => live === 0 && created < before);
  if (old.length > 0) {
    const among = tx.among(
      'number',
      old.map(({ number }) => number),
    );
    const later =
      'SELECT 1 FROM version l WHERE l.variant = version.variant AND l.sequence > version.sequence';
    await tx.run(
      `DELETE FROM version WHERE ${among.text}
         AND (EXISTS (${later} AND l.created < ?) OR NOT EXISTS (${later}))`,
      [among.parameter, before],
    );
  }
  return rows.at(-1)?.number;
}
