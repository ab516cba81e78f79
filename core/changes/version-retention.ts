import { type Age, DailyRetention, RETENTION_BATCH } from '../jobs/daily-retention.ts';
import type { Transaction } from '../storage/ports.ts';

/** Removes old versions of content; never drafts and published versions. */
export class VersionRetention extends DailyRetention {
  protected remove({ before }: Age): Promise<void> {
    return this.inOrder((tx, after) => removeVersions(tx, before, after));
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
