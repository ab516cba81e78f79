import { ServiceError } from '../errors.ts';
import type { Reader, Storage, Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { type JobKind, RECOMPILE } from './job-kinds.ts';

export const JOB_STATES = [
  /** not due yet */
  'waiting',
  'running',
  'done',
  'failed',
  'canceled',
] as const;
export type JobState = (typeof JOB_STATES)[number];
const ENDED: readonly JobState[] = ['done', 'failed', 'canceled'];

/** Long work with visible progress; the rows survive a restart. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  /** Id of the project; null = the installation. */
  readonly project: string | null;
  /** The object of the job, for display: `type article`. */
  readonly subject: string;
  readonly state: JobState;
  readonly done: number;
  readonly total: number | null;
  /** User who started it; null = the installation itself. */
  readonly actor: string | null;
  readonly error: string | null;
  /** When it is due; null unless it waits for that time. */
  readonly due: string | null;
  /** What it has made, as JSON. */
  readonly result: string | null;
  readonly created: string;
  readonly updated: string;
}

export async function startJob(
  tx: Transaction,
  job: {
    readonly id: string;
    readonly kind: JobKind;
    readonly project: number | null;
    readonly subject: string;
    readonly total: number;
    readonly actor?: string | null;
    /** The process that runs it; none while it waits. */
    readonly owner?: string;
    readonly state?: 'waiting' | 'running';
  },
): Promise<void> {
  await tx.run(
    `INSERT INTO job (id, project, kind, subject, state, done, total, actor, owner, created, updated)
     VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)`,
    [
      job.id,
      job.project,
      job.kind,
      job.subject,
      job.state ?? 'running',
      job.total,
      job.actor ?? null,
      job.owner ?? null,
      tx.now,
      tx.now,
    ],
  );
}

/**
 * Done as soon as `done` reaches the total, unless it was canceled meanwhile. One that has ended stays as it is.
 *
 * @param total replaces that of the job, which then only `endJob` ends: its last step is not reported here
 */
export async function progressJob(
  tx: Transaction,
  id: string,
  done: number,
  total: number | null = null,
): Promise<void> {
  const [shown, reached] = total === null ? [done, done] : [Math.max(0, Math.min(done, total - 1)), -1];
  await tx.run(
    `UPDATE job SET done = ?, total = coalesce(?, total), updated = ?,
       state = CASE WHEN state = 'running' AND ? >= total THEN 'done' ELSE state END
     WHERE id = ? AND state IN ('running', 'canceled')`,
    [shown, total, tx.now, reached, id],
  );
}

export async function endJob(
  tx: Transaction,
  id: string,
  state: 'done' | 'failed' | 'canceled',
  error: string | null = null,
  result: string | null = null,
): Promise<void> {
  await tx.run(
    `UPDATE job SET state = ?, error = ?, result = ?, updated = ?,
       done = CASE WHEN ? = 'done' THEN coalesce(total, done) ELSE done END WHERE id = ?`,
    [state, error, result, tx.now, state, id],
  );
}

/** Ends jobs of a run that failed or of a process that crashed, where the next run continues their work as a job of its own. */
export async function failInterruptedJobs(
  storage: Pick<Storage, 'write'>,
  { sql }: Pick<Reader, 'sql'>,
  kind: JobKind,
): Promise<void> {
  const interrupted = await sql.get(`SELECT id FROM job WHERE state = 'running' AND kind = ? LIMIT 1`, [
    kind,
  ]);
  if (!interrupted) return;
  await storage.write((tx) =>
    tx.run(
      `UPDATE job SET state = 'failed', error = 'interrupted', updated = ? WHERE state = 'running' AND kind = ?`,
      [tx.now, kind],
    ),
  );
}

const COLUMNS = `j.id, j.kind, p.id AS project, j.subject, j.state, j.done, j.total, j.actor, j.error,
  (SELECT min(v.scheduled_to) FROM variant v WHERE v.schedule = j.id) AS due, j.result, j.created, j.updated`;
const RANK = `CASE j.state WHEN 'running' THEN 0 WHEN 'waiting' THEN 1 ELSE 2 END`;

/** Where a page starts: after the job. */
export type AfterJob = readonly [rank: number, created: string, id: string];

export interface JobFilter {
  /** Id of the project. */
  readonly project?: string;
  readonly kind?: string;
  readonly state?: JobState;
  readonly after?: AfterJob | undefined;
  readonly limit: number;
}

export interface ListedJob extends Job {
  readonly rank: number;
}

/** Jobs that are not finished, then finished ones; newest first. */
export function listJobs(sql: Sql, filter: JobFilter): Promise<ListedJob[]> {
  const where = ['1 = 1'];
  const parameters: (string | number)[] = [];
  const add = (condition: string, ...values: (string | number)[]) => {
    where.push(condition);
    parameters.push(...values);
  };
  // Found before the walk, not for each job.
  if (filter.project !== undefined)
    add('j.project = (SELECT number FROM project WHERE id = ?)', filter.project);
  // `|| ''` keeps the planner from an index of the value. Most jobs have ended: those of an open state are few, all others
  // would be sorted.
  const isOpen = filter.state !== undefined && !ENDED.includes(filter.state);
  if (filter.kind !== undefined)
    add(filter.project === undefined || isOpen ? `j.kind || '' = ?` : 'j.kind = ?', filter.kind);
  if (filter.state !== undefined) add(isOpen ? 'j.state = ?' : `j.state || '' = ?`, filter.state);
  if (filter.after) {
    const [rank, created, id] = filter.after;
    add(
      `(${RANK} > ? OR (${RANK} = ? AND (j.created < ? OR (j.created = ? AND j.id > ?))))`,
      ...[rank, rank, created, created, id],
    );
  }
  return sql.all<ListedJob>(
    `SELECT ${COLUMNS}, ${RANK} AS rank FROM job j LEFT JOIN project p ON p.number = j.project
     WHERE ${where.join(' AND ')} ORDER BY ${RANK}, j.created DESC, j.id LIMIT ?`,
    [...parameters, filter.limit],
  );
}

/**
 * Jobs of a project that failed since a time, the newest first; not interrupted recompilation, which another job continues.
 * @param actor only those of this user
 */
export function failedJobs(
  sql: Sql,
  project: number,
  {
    since,
    limit,
    actor,
  }: { readonly since: string; readonly limit: number; readonly actor: string | undefined },
): Promise<Job[]> {
  return sql.all<Job>(
    `SELECT ${COLUMNS} FROM job j LEFT JOIN project p ON p.number = j.project
     WHERE j.state = 'failed' AND j.kind <> '${RECOMPILE}' AND j.project = ? AND j.updated >= ?
       ${actor === undefined ? '' : 'AND j.actor = ?'}
     ORDER BY j.updated DESC, j.id LIMIT ?`,
    [project, since, ...(actor === undefined ? [] : [actor]), limit],
  );
}

/** Jobs that changed after a time, and not after another one, oldest change first. */
export function listChangedJobs(sql: Sql, after: string, until: string): Promise<Job[]> {
  return sql.all<Job>(
    `SELECT ${COLUMNS} FROM job j LEFT JOIN project p ON p.number = j.project
     WHERE j.updated > ? AND j.updated <= ? ORDER BY j.updated, j.id LIMIT 100`,
    [after, until],
  );
}

/**
 * The state of a job that a process runs; `interrupted` once another process has taken it over.
 * @throws objectNotFound
 */
export async function stateOfOwnJob(sql: Sql, id: string, owner: string): Promise<JobState | 'interrupted'> {
  const { state } = await findJob(sql, id);
  if (state !== 'running') return state;
  const row = await sql.get<{ owner: string | null }>('SELECT owner FROM job WHERE id = ?', [id]);
  return row?.owner === owner ? 'running' : 'interrupted';
}

/** @throws objectNotFound */
export async function findJob(sql: Sql, id: string): Promise<Job> {
  const job = await sql.get<Job>(
    `SELECT ${COLUMNS} FROM job j LEFT JOIN project p ON p.number = j.project WHERE j.id = ?`,
    [id],
  );
  if (!job) throw new ServiceError('objectNotFound', `There is no job with the id '${id}'.`);
  return job;
}
