import type { Sql, Transaction } from '../storage/ports.ts';

/** Long work with visible progress; the rows survive a restart. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly project: number | null;
  /** What it works on, for people: `type article`. */
  readonly subject: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly done: number;
  readonly total: number | null;
  readonly created: string;
  readonly updated: string;
}

export async function startJob(
  tx: Transaction,
  job: {
    readonly id: string;
    readonly kind: string;
    readonly project: number | null;
    readonly subject: string;
    readonly total: number;
  },
): Promise<void> {
  await tx.run(
    `INSERT INTO job (id, project, kind, subject, state, done, total, created, updated)
     VALUES (?, ?, ?, ?, 'running', 0, ?, ?, ?)`,
    [job.id, job.project, job.kind, job.subject, job.total, tx.now, tx.now],
  );
}

export async function progressJob(tx: Transaction, id: string, done: number): Promise<void> {
  await tx.run(
    `UPDATE job SET done = ?, updated = ?, state = CASE WHEN ? >= total THEN 'done' ELSE state END WHERE id = ?`,
    [done, tx.now, done, id],
  );
}

/** Newest first. */
export function listJobs(sql: Sql, limit = 100): Promise<Job[]> {
  return sql.all<Job & Record<string, string | number | null>>(
    `SELECT id, kind, project, subject, state, done, total, created, updated FROM job ORDER BY created DESC, id LIMIT ?`,
    [limit],
  );
}
