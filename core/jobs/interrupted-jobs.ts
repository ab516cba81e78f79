import type { Owner } from '../storage/owner.ts';
import type { Transaction } from '../storage/ports.ts';

/** What shows that nothing runs a job any more. */
export interface OwnedJob {
  readonly id: string;
  /** Null: it was started by an earlier version. */
  readonly owner: string | null;
}

/** @returns the jobs whose processes have ended */
export async function interruptedJobs<T extends OwnedJob>(owner: Owner, jobs: readonly T[]): Promise<T[]> {
  if (jobs.length === 0) return [];
  const ended = await owner.ended([...new Set(jobs.flatMap((job) => job.owner ?? []))]);
  return jobs.filter((job) => job.owner === null || ended.has(job.owner));
}

/** @returns whether this process owns the job now; false where it ended, or another process was faster */
export async function takeOverJob(tx: Transaction, job: OwnedJob, owner: Owner): Promise<boolean> {
  const former = job.owner === null ? 'owner IS NULL' : 'owner = ?';
  const changed = await tx.runCounted(
    `UPDATE job SET owner = ? WHERE id = ? AND state IN ('running', 'canceled') AND ${former}`,
    [owner.id, job.id, ...(job.owner === null ? [] : [job.owner])],
  );
  return changed === 1;
}
