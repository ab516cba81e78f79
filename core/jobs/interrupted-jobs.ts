import type { Owner } from '../storage/owner.ts';
import type { Storage, Transaction } from '../storage/ports.ts';
import type { JobKind } from './job-kinds.ts';
import { endJob } from './jobs.ts';

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

/** Ends running jobs of the kinds whose processes have ended. They are started again by hand. */
export async function failJobsOfEndedProcesses(
  storage: Storage,
  kinds: readonly JobKind[],
  error: string,
): Promise<void> {
  const jobs = await storage.sql.all<OwnedJob>(
    `SELECT id, owner FROM job WHERE kind IN (${kinds.map(() => '?').join(', ')}) AND state = 'running'`,
    kinds,
  );
  const interrupted = await interruptedJobs(storage.owner, jobs);
  if (interrupted.length === 0) return;
  await storage.write(async (tx) => {
    for (const job of interrupted)
      if (await takeOverJob(tx, job, storage.owner)) await endJob(tx, job.id, 'failed', error);
  });
}
