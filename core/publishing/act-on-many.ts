import { ServiceError } from '../errors.ts';
import { endJob, startJob } from '../jobs/jobs.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { type ActedObject, takeBack, takeSnapshots } from './act-snapshots.ts';
import type { ActObject, ActTarget } from './act-targets.ts';
import { ACTS, type ActInput, type ActName } from './acts.ts';
import { type ActPlan, type ActRequest, checkDrafts, pathOf, planTargets, withFindings } from './plan-act.ts';
import { refuseViolations } from './refuse-invalid.ts';

/** Kind of the job of an act on many objects. */
export const ACT_ON_MANY = 'act-on-many';

/** Objects that one transaction acts on; more run as a job, in several. */
export const AT_ONCE = 1000;

/** How long an act can be undone. */
export const UNDO_DAYS = 7;

export interface ActConditions {
  /** Objects that change, by the plan. */
  readonly expected?: number;
  /**
   * Refuses a plan that is another now.
   * @param isPartial it has only the targets: a job finds the rest in pieces
   */
  readonly check?: (plan: ActPlan, isPartial: boolean) => Promise<void>;
  /** The process that runs the job. */
  readonly owner: string;
}

export interface StartedAct {
  readonly job: string;
  readonly act: ActName;
  /** Objects that change. */
  readonly total: number;
  /** The job has to be run. */
  readonly isRunning: boolean;
}

/**
 * Acts on all objects or on none: at once, or up to the start of a job that `ActJobs` runs.
 * @throws invalidBody when a draft breaks rules of its type, conflict when the plan is out of date
 */
export async function actOnMany(
  transaction: ProjectTransaction,
  request: ActRequest,
  { expected, check, owner }: ActConditions,
): Promise<StartedAct> {
  const { act, input } = request;
  const targets = await planTargets(transaction, request);
  const changing = targets.filter(({ change }) => change !== 'none');
  const total = changing.length;
  if (expected !== undefined && expected !== total)
    throw new ServiceError(
      'conflict',
      `The plan is out of date: it was for ${expected} objects, and ${total} would change now. Plan again.`,
    );
  const { tx } = transaction;
  const job = transaction.newId();
  const isRunning = total > AT_ONCE;
  const found = await findings(transaction, request, targets, { isRunning, isChecked: check !== undefined });
  await check?.(found, isRunning);
  if (transaction.options.allowInvalid !== true) refuseViolations(found.violations);
  await forgetOld(transaction);
  await startJob(tx, {
    id: job,
    kind: ACT_ON_MANY,
    project: transaction.project.number,
    subject: `${act}: ${total} objects`,
    total,
    actor: transaction.actor,
    owner,
  });
  await tx.insert(
    'act',
    ['job', 'project', 'name', 'input', 'created'],
    [[job, transaction.project.number, act, JSON.stringify(input), tx.now]],
  );
  const objects = changing.map(toObject);
  if (isRunning)
    await insertObjects(
      transaction,
      job,
      objects.map((object) => ({ ...object, before: null, after: null })),
    );
  else {
    await insertObjects(transaction, job, await applyAct(transaction, act, input, changing));
    await endJob(tx, job, 'done');
  }
  return { job, act, total, isRunning };
}

/** What is needed of a plan before the act. */
async function findings(
  transaction: ProjectTransaction,
  request: ActRequest,
  targets: ActPlan['targets'],
  { isRunning, isChecked }: { readonly isRunning: boolean; readonly isChecked: boolean },
): Promise<ActPlan> {
  if (isChecked && !isRunning) return withFindings(transaction, request, targets);
  const none = { targets, dangling: [], violations: [], fallbacks: [], brokenLinks: [] };
  if (isRunning) return none;
  return { ...none, ...(await checkDrafts(transaction, request.act, targets, pathOf(request))) };
}

/** Acts on objects in the transaction. @returns their states before and after */
export async function applyAct(
  transaction: ProjectTransaction,
  act: ActName,
  input: ActInput,
  targets: readonly ActTarget[],
): Promise<ActedObject[]> {
  const { tx } = transaction;
  const objects = targets.map(toObject);
  const before = await takeSnapshots(tx, objects);
  await ACTS[act].apply(transaction, targets, input);
  const after = await takeSnapshots(tx, objects);
  return objects.map((object, index) => ({
    ...object,
    before: before[index] ?? '',
    after: after[index] ?? '',
  }));
}

/**
 * Takes an act back that is done, all in this transaction.
 * @returns how many objects stay as they are, because they changed since
 */
export async function undoAtOnce(transaction: ProjectTransaction, job: string): Promise<number> {
  const { tx } = transaction;
  const objects = await tx.all<ActedObject & { position: number }>(
    'SELECT position, item, language, before, after FROM act_object WHERE job = ? ORDER BY position',
    [job],
  );
  const kept = await takeBack(transaction, objects);
  await tx.run('DELETE FROM act_object WHERE job = ?', [job]);
  await tx.run(`UPDATE job SET state = 'canceled', done = ?, updated = ? WHERE id = ?`, [kept, tx.now, job]);
  return kept;
}

function toObject({ item, language }: ActTarget): ActObject {
  return { item: item.number, language: language?.number ?? null };
}

async function insertObjects(
  { tx }: ProjectTransaction,
  job: string,
  objects: readonly (ActObject & { readonly before: string | null; readonly after: string | null })[],
): Promise<void> {
  await tx.insert(
    'act_object',
    ['job', 'position', 'item', 'language', 'before', 'after'],
    objects.map(({ item, language, before, after }, position) => [
      job,
      position,
      item,
      language,
      before,
      after,
    ]),
  );
}

/** Removes what undoing acts of long ago would need. */
async function forgetOld({ tx, project }: ProjectTransaction): Promise<void> {
  const since = new Date(Date.parse(tx.now) - UNDO_DAYS * 24 * 3_600_000).toISOString();
  const old = `SELECT a.job FROM act a JOIN job j ON j.id = a.job
    WHERE a.project = ? AND a.created < ? AND j.state <> 'running'`;
  await tx.run(`DELETE FROM act_object WHERE job IN (${old})`, [project.number, since]);
}
