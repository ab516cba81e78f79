import type { Transaction } from '../storage/ports.ts';
import { DailyRetention, RETENTION_BATCH, type RetentionOptions } from './daily-retention.ts';
import { EXPORT, IMPORT } from './job-kinds.ts';

/**
 * Removes jobs that ended long ago. Kept are those that something still needs: an act that can be undone, the archive of an
 * export, the import of a project, by which the same archive is known again.
 */
export class JobRetention extends DailyRetention {
  readonly #days: number | null;

  /** @param days since the end of a job; null = it stays */
  constructor(options: RetentionOptions, days: number | null) {
    super(options);
    this.#days = days;
  }

  async removeOld(): Promise<void> {
    if (this.#days === null) return;
    const { before } = this.age(this.#days);
    await this.inBatches((tx) => removeJobs(tx, before));
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
