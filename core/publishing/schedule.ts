import { unscheduleVariants } from '../content/unschedule-variants.ts';
import { ServiceError, type ValidationIssue } from '../errors.ts';
import { SCHEDULE } from '../jobs/job-kinds.ts';
import { endJob, findJob, startJob } from '../jobs/jobs.ts';
import type { Reference } from '../model/inputs.ts';
import { forbid, Issues } from '../model/issues.ts';
import { readInstant, ValueError } from '../model/plain-values.ts';
import type { Sql } from '../storage/sql.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { type ActObject, type ActTarget, locatedOf, readTargets, withDrafts } from './act-targets.ts';
import { type LocatedVariant, locateVariant, recordVariant } from './locate-variant.ts';
import { publishLocated } from './publish.ts';
import { findInvalid, refuseInvalid, refuseViolations } from './refuse-invalid.ts';

/** Drafts in memory at a time. */
const DRAFTS = 50;

/**
 * Reads ISO 8601, also without a zone (UTC); returns the form of transaction times, fractions included, so that nothing
 * is published a part of a second early.
 */
export function readScheduleTime(value: unknown): string {
  const issues = new Issues();
  try {
    const time = readInstant(value);
    if (time !== null) return time;
    issues.add('An ISO 8601 date and time is expected.', 'scheduled_to');
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    issues.add(error.message, 'scheduled_to');
  }
  issues.refuse();
  throw new Error('A time without a value was not refused.');
}

/**
 * Schedules the draft, in place of an earlier schedule; publishes it at once if the time has passed.
 * @throws domainRule without a draft, invalidBody when it breaks rules of its type
 */
export async function schedulePublish(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
  scheduledTo: unknown,
): Promise<void> {
  const at = readScheduleTime(scheduledTo);
  const located = await locateVariant(transaction, itemReference, languageReference, 'publish');
  if (located.variant.draft === null)
    forbid(
      `The variant '${located.language.codename}' of the item '${located.item.codename}' is published and has no newer version to schedule.`,
    );
  if (located.variant.scheduled_to === at) return;
  await refuseInvalid(transaction, [{ located, path: '' }]);
  await scheduleLocated(transaction, [located], at);
}

/** Schedules variants together, whose drafts `refuseInvalid` has checked. */
export async function scheduleLocated(
  transaction: ProjectTransaction,
  variants: readonly LocatedVariant[],
  at: string,
): Promise<void> {
  if (at <= transaction.now) return publishLocated(transaction, variants);
  const [first] = variants;
  if (!first) return;
  for (const { item, language, variant } of variants)
    if (variant.scheduled_to !== null) await unscheduleVariants(transaction, item.number, language.number);
  const { tx } = transaction;
  const job = transaction.newId();
  await startJob(tx, {
    id: job,
    kind: SCHEDULE,
    project: transaction.project.number,
    subject:
      variants.length === 1
        ? `${first.item.codename}/${first.language.codename}`
        : `${variants.length} variants`,
    total: variants.length,
    actor: transaction.actor,
    state: 'waiting',
  });
  await addToSchedule(transaction, variants, at, job);
}

/** Schedules variants again as they were, so that those that several transactions take back stay together. */
export async function scheduleAgain(
  transaction: ProjectTransaction,
  variants: readonly LocatedVariant[],
  { at, schedule }: { readonly at: string; readonly schedule: string | null },
): Promise<void> {
  const isThere = await transaction.tx.runCounted(
    `UPDATE job SET state = 'waiting', updated = ? WHERE id = ? AND kind = ? AND state IN ('waiting', 'canceled')`,
    [transaction.now, schedule, SCHEDULE],
  );
  if (schedule === null || isThere === 0) await scheduleLocated(transaction, variants, at);
  else await addToSchedule(transaction, variants, at, schedule);
}

async function addToSchedule(
  transaction: ProjectTransaction,
  variants: readonly LocatedVariant[],
  at: string,
  schedule: string,
): Promise<void> {
  const { tx } = transaction;
  const among = tx.among(
    'number',
    variants.map(({ variant }) => variant.number),
  );
  await tx.run(`UPDATE variant SET scheduled_to = ?, schedule = ? WHERE ${among.text}`, [
    at,
    schedule,
    among.parameter,
  ]);
  for (const located of variants) recordVariant(transaction, located, 'schedule');
}

/** @throws nothingScheduled (218) */
export async function cancelScheduledPublish(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locateVariant(transaction, itemReference, languageReference, 'publish');
  const unscheduled = await unscheduleVariants(transaction, located.item.number, located.language.number);
  if (unscheduled.size === 0)
    throw new ServiceError('nothingScheduled', 'The language variant is not scheduled to be published.');
  recordVariant(transaction, located, 'cancel_schedule');
}

/** Cancels a whole schedule. */
export async function cancelSchedule(transaction: ProjectTransaction, job: string): Promise<void> {
  await unschedule(transaction, job);
  await endJob(transaction.tx, job, 'canceled');
}

/** Ends a schedule that cannot be published, so that it is not retried; one that has ended stays as it is. */
export async function failSchedule(
  transaction: ProjectTransaction,
  job: string,
  reason: string,
): Promise<void> {
  if (!(await isWaiting(transaction, job))) return;
  await unschedule(transaction, job);
  await endJob(transaction.tx, job, 'failed', reason);
}

async function unschedule(transaction: ProjectTransaction, job: string): Promise<void> {
  const variants = await scheduledVariants(transaction, job);
  await transaction.tx.run('UPDATE variant SET scheduled_to = NULL, schedule = NULL WHERE schedule = ?', [
    job,
  ]);
  for (const variant of variants) recordVariant(transaction, locatedOf(variant), 'cancel_schedule');
}

/**
 * Publishes the variants that are still in the schedule; nothing where another process has published it.
 * @throws invalidBody when a draft breaks rules of its type
 */
export async function publishSchedule(transaction: ProjectTransaction, job: string): Promise<void> {
  if (!(await isWaiting(transaction, job))) return;
  const variants = await scheduledVariants(transaction, job);
  await refuseInvalidDrafts(transaction, variants);
  // Before publishing, which would cancel the job of a scheduled variant.
  await transaction.tx.run('UPDATE variant SET scheduled_to = NULL, schedule = NULL WHERE schedule = ?', [
    job,
  ]);
  await publishLocated(transaction, variants.map(locatedOf));
  if (variants.length === 0) return endJob(transaction.tx, job, 'canceled');
  await transaction.tx.run(`UPDATE job SET state = 'done', done = ?, total = ?, updated = ? WHERE id = ?`, [
    variants.length,
    variants.length,
    transaction.now,
    job,
  ]);
}

async function isWaiting({ tx }: ProjectTransaction, job: string): Promise<boolean> {
  return (await findJob(tx, job)).state === 'waiting';
}

/** Also in languages deactivated since: their variants appear when the language is active again. */
async function scheduledVariants(transaction: ProjectTransaction, job: string): Promise<ActTarget[]> {
  const objects = await transaction.tx.all<ActObject>(
    `SELECT v.item AS item, v.language AS language FROM variant v JOIN item i ON i.number = v.item
     WHERE v.schedule = ? AND v.archived IS NULL AND i.archived IS NULL ORDER BY v.number`,
    [job],
  );
  return readTargets(transaction, objects);
}

/** Reads drafts some at a time: all those of a schedule may take much memory. */
async function refuseInvalidDrafts(
  transaction: ProjectTransaction,
  variants: readonly ActTarget[],
): Promise<void> {
  if (transaction.options.allowInvalid === true) return;
  const violations: ValidationIssue[] = [];
  for (let at = 0; at < variants.length; at += DRAFTS) {
    const located = await withDrafts(transaction, variants.slice(at, at + DRAFTS));
    const candidates = located.map((one) => ({ located: one, path: '' }));
    violations.push(...(await findInvalid(transaction, candidates)));
  }
  refuseViolations(violations);
}

export interface DueSchedule {
  readonly job: string;
  /** Id of the project. */
  readonly project: string;
  readonly actor: string | null;
}

/** Lists due schedules, oldest first; those of archived projects wait. */
export function dueSchedules(sql: Sql, now: string): Promise<DueSchedule[]> {
  return sql.all<DueSchedule>(
    `SELECT v.schedule AS job, p.id AS project, j.actor AS actor
     FROM variant v JOIN job j ON j.id = v.schedule JOIN project p ON p.number = j.project
     WHERE v.scheduled_to IS NOT NULL AND v.scheduled_to <= ? AND p.archived IS NULL
     GROUP BY v.schedule, p.id, j.actor ORDER BY min(v.scheduled_to), v.schedule`,
    [now],
  );
}

/** When the next schedule is due; undefined without one. */
export async function nextDue(sql: Sql): Promise<string | undefined> {
  // Reads the index of schedules up to the first one: for min(), PostgreSQL read all of them, each second. CROSS JOIN keeps the
  // order of the tables on SQLite.
  const row = await sql.get<{ at: string }>(
    `SELECT v.scheduled_to AS at FROM variant v CROSS JOIN job j CROSS JOIN project p
     WHERE v.scheduled_to IS NOT NULL AND j.id = v.schedule AND p.number = j.project AND p.archived IS NULL
     ORDER BY v.scheduled_to LIMIT 1`,
  );
  return row?.at;
}
