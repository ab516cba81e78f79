import type { Transaction } from '../storage/ports.ts';
import { type Age, DailyRetention, RETENTION_BATCH } from './daily-retention.ts';
import { EXPORT, IMPORT } from './job-kinds.ts';

/**
 * Removes jobs by the time since their end. Kept are those that something still needs: an act that can be undone, the archive of an
 * export, the import of a project, by which the same archive is known again.
 */
export class JobRetention extends DailyRetention {
  protected remove({ before }: Age): Promise<void> {
    return this.inBatches((tx) => removeJobs(tx, before));
  }
}

/** @returns whether there may be more */
async function removeJobs(tx: Transaction, before: string): Promise<boolean> {
  const jobs = await tx.all<{ id: string }>(
    `SELECT id FROM job
     WHERE updated < ? AND state NOT IN ('waiting', 'running')
       AND (kind <> '${IMPORT}' OR project IS NULL) AND (kind <> '${EXPORT}' OR result IS NULL)
       AND NOT EXISTS (SELECT 1 FROM act WHERE act.job = job.id)
     ORDER BY updated LIMIT ${RETENTION_BATCH}`,
    [before],
  );
  if (jobs.length === 0) return false;
  const among = tx.among(
    'id',
    jobs.map(({ id }) => id),
  );
  await tx.run(`DELETE FROM job WHERE ${among.text}`, [among.parameter]);
  return jobs.length === RETENTION_BATCH;
}
