import { ServiceError } from '../errors.ts';
import { ACT_ON_MANY } from '../jobs/job-kinds.ts';
import { endJob, startJob } from '../jobs/jobs.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { type ActedObject, takeBack, takeSnapshots } from './act-snapshots.ts';
import type { ActObject, ActTarget } from './act-targets.ts';
import { ACTS, type ActInput, type ActName } from './acts.ts';
import {
  type ActPlan,
  type ActRequest,
  checkDrafts,
  pathOf,
  planTargets,
  toObject,
  withFindings,
} from './plan-act.ts';
import { refuseViolations } from './refuse-invalid.ts';

/** Objects that one transaction acts on; more run as a job, in several. */
export const AT_ONCE = 1000;

/** How long an act can be undone. */
export const UNDO_DAYS = 7;

export interface ActConditions {
  /** Objects that change, by the plan. */
  readonly expected?: number | undefined;
  /** Refuses a plan that is another now. */
  readonly check?: ((plan: ActPlan) => Promise<void>) | undefined;
  /** The process. */
  readonly owner: string;
}

/**
 * Acts on all objects or on none, in this transaction; at most `AT_ONCE` change.
 * @returns the job
 * @throws invalidBody when a draft breaks rules of its type, conflict when the plan is out of date
 */
export async function actOnMany(
  transaction: ProjectTransaction,
  request: ActRequest,
  { expected, check, owner }: ActConditions,
): Promise<string> {
  const { act, input } = request;
  const targets = await planTargets(transaction, request);
  const changing = targets.filter(({ change }) => change !== 'none');
  requireExpected(changing.length, expected);
  const found = check
    ? await withFindings(transaction, request, targets)
    : { ...onlyTargets(targets), ...(await checkDrafts(transaction, act, targets, pathOf(request))) };
  await check?.(found);
  if (transaction.options.allowInvalid !== true) refuseViolations(found.violations);
  const job = await startAct(transaction, request, { total: changing.length, owner });
  await insertObjects(transaction, job, await applyAct(transaction, act, input, changing));
  await endJob(transaction.tx, job, 'done');
  return job;
}

/** A plan without what is found besides: a job finds that in pieces. */
export function onlyTargets(targets: ActPlan['targets']): ActPlan {
  return { targets, dangling: [], violations: [], fallbacks: [], brokenLinks: [] };
}

/** @throws conflict when the plan is out of date */
export function requireExpected(total: number, expected: number | undefined): void {
  if (expected === undefined || expected === total) return;
  throw new ServiceError(
    'conflict',
    `The plan is out of date: it was for ${expected} objects, and ${total} would change now. Plan again.`,
  );
}

/**
 * Starts the job of an act, which `ActJobs` runs.
 * @param total objects that change
 * @param owner the process that runs it
 */
export async function startAct(
  transaction: ProjectTransaction,
  { act, input }: Pick<ActRequest, 'act' | 'input'>,
  { total, owner }: { readonly total: number; readonly owner: string },
): Promise<string> {
  const { tx, project, actor } = transaction;
  const job = transaction.newId();
  await startJob(tx, {
    id: job,
    kind: ACT_ON_MANY,
    project: project.number,
    subject: `${act}: ${total} objects`,
    total,
    actor,
    owner,
  });
  await tx.insert(
    'act',
    ['job', 'project', 'name', 'input', 'created'],
    [[job, project.number, act, JSON.stringify(input), tx.now]],
  );
  return job;
}

/** Acts on objects in the transaction. @returns their states before and after */
export async function applyAct(
  transaction: ProjectTransaction,
  act: ActName,
  input: ActInput,
  targets: readonly ActTarget[],
): Promise<ActedObject[]> {
  const { tx } = transaction;
  const objects = changedObjects(targets);
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

/** To restore a language of an archived item changes its other variants too. */
function changedObjects(targets: readonly ActTarget[]): ActObject[] {
  const archived = new Set<number>();
  return targets.flatMap((target) => {
    const { item } = target;
    if (item.archived === null) return toObject(target);
    if (archived.has(item.number)) return [];
    archived.add(item.number);
    return { item: item.number, language: null };
  });
}

/** The objects of targets, those of one item together. */
export async function objectsByItem(targets: readonly ActTarget[]): Promise<ActObject[]> {
  const byItem = new Map<number, ActObject[]>();
  await eachInTurns(targets, (target) => {
    const ofItem = byItem.get(target.item.number);
    if (ofItem) ofItem.push(toObject(target));
    else byItem.set(target.item.number, [toObject(target)]);
  });
  const objects: ActObject[] = [];
  await eachInTurns(byItem.values(), (ofItem) => objects.push(...ofItem));
  return objects;
}

/** @param from position of the first */
export async function insertObjects(
  { tx }: ProjectTransaction,
  job: string,
  objects: readonly (ActObject & Partial<ActedObject>)[],
  from = 0,
): Promise<void> {
  await tx.insert(
    'act_object',
    ['job', 'position', 'item', 'language', 'before', 'after'],
    objects.map(({ item, language, before = null, after = null }, index) => [
      job,
      from + index,
      item,
      language,
      before,
      after,
    ]),
  );
}
