import { mayManageApis } from '../access/permissions.ts';
import { ServiceError } from '../errors.ts';
import { schema } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { findJob } from '../jobs/jobs.ts';
import {
  AT_ONCE,
  actOnMany,
  objectsByItem,
  onlyTargets,
  requireExpected,
  startAct,
  UNDO_DAYS,
  undoAtOnce,
} from '../publishing/act-on-many.ts';
import type { ActObject } from '../publishing/act-targets.ts';
import { ACT_NAMES, ACTS, type ActName } from '../publishing/acts.ts';
import { type DueVariant, dueVariants } from '../publishing/due-variants.ts';
import { type ActPlan, type ActRequest, planTargets } from '../publishing/plan-act.ts';
import type { Sql } from '../storage/sql.ts';
import { isEverything, requireContent } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { planJson, refuseOtherPlan } from './act-plan.ts';
import { type Answer, afterOf, type Call, isOn, limitOf, ok, pageAnswer, refuse, timeIn } from './call.ts';
import { namedVariant } from './named.ts';
import { ACT_BODIES, type GivenAct, readActRequest } from './read-act-request.ts';
import { pages, planOnly, query, routesOf, shows } from './route.ts';

const SUMMARY: Readonly<Record<ActName, string>> = {
  publish: 'Publish many variants',
  schedule: 'Schedule the publishing of many variants',
  cancel_schedule: 'Cancel the schedules of many variants',
  unpublish: 'Unpublish many variants',
  archive: 'Archive many items or variants',
  restore: 'Restore many items or variants',
  move: 'Move many items in the sitemap',
  change_step: 'Move many variants to a workflow step',
};

const DESCRIPTION = `All or none. Up to ${AT_ONCE} objects change in one transaction. More are a job: it checks all of them before the first change, then acts in transactions of 200 (schedules: 1,000), and readers see each of those at once; when the job fails, is canceled or its process ends, what it did is taken back, except objects that someone changed meanwhile. Objects with nothing to do stay as they are.`;

const route = routesOf({ read: 'view-content', write: 'view-content' });
const pathOf = (act: ActName) => `projects/:project/acts/${act.replace('_', '-')}`;

export const actRoutes = [
  ...ACT_NAMES.flatMap((act) => [
    route(`POST ${pathOf(act)}`, {
      id: camel(act, 'Objects'),
      summary: `${SUMMARY[act]}, or plan it`,
      description: DESCRIPTION,
      permission: ACTS[act].needs,
      parameters: [planOnly],
      body: bodyOf(ACT_BODIES[act]),
      answers: {
        200: { description: 'The plan.', schema: schema('AdminActPlan') },
        201: { description: 'It is done.', schema: schema('AdminManyAct') },
        202: { description: 'The job has started.', schema: schema('AdminManyAct') },
      },
      conflict: true,
      handler: (call) => start(call, act),
    }),
    route(`DELETE ${pathOf(act)}/:job`, {
      id: camel(act, 'Undo'),
      summary: `Cancel or undo: ${SUMMARY[act].toLowerCase()}`,
      description: `Takes back what a running job did, or within ${UNDO_DAYS} days what is done. Objects that changed since stay as they are.`,
      permission: ACTS[act].needs,
      answers: {
        200: {
          description: 'It is taken back; `done` objects stay, because they changed since.',
          schema: schema('AdminManyAct'),
        },
        202: { description: 'It is being taken back.', schema: schema('AdminManyAct') },
      },
      conflict: true,
      handler: (call) => undo(call, act),
    }),
  ]),
  route('GET projects/:project/acts/:job', {
    id: 'getManyAct',
    summary: 'Read the progress of an act on many objects',
    answers: shows('AdminManyAct'),
    handler: async ({ operations, at }) => ok(await actJson(operations.reader.sql, at('project'), at('job'))),
  }),
  route('GET projects/:project/schedules', {
    id: 'listSchedules',
    summary: 'List variants that are due from one time until before another',
    ...pages('schedules', 'AdminDueVariant', [
      query('from', 'ISO 8601; UTC without a zone. The first time when not given.'),
      query('to', 'The same; no end when not given.'),
    ]),
    handler: schedules,
  }),
];

async function start({ operations, at, query, body, person }: Call, act: ActName): Promise<Answer> {
  const given: GivenAct = await body(ACT_BODIES[act]);
  if ((given.objects === undefined) === (given.filter === undefined))
    return refuse("Exactly one of 'objects' and 'filter' is needed.", 'objects');
  if (isOn(query, 'plan')) {
    const namesWebhooks = await mayManageApis(operations.reader.sql, person, at('project'));
    return ok(
      await operations.read(at('project'), async (view) =>
        planJson(view, await readActRequest(view, act, given), namesWebhooks),
      ),
    );
  }
  const { storage, inProject } = operations;
  const owner = storage.owner.id;
  const project = at('project');
  // What may be long is planned over a snapshot, so that other writers do not wait for it.
  const isLong =
    given.filter !== undefined || (given.objects?.length ?? 0) > AT_ONCE || given.include_linked === true;
  const planned = isLong
    ? await operations.read(project, async (view) =>
        planBefore(view, await readActRequest(view, act, given), given),
      )
    : undefined;
  const objects = planned?.objects;
  const job = await inProject(project, null, async (transaction) => {
    if (planned && objects) return startAct(transaction, planned.request, { total: objects.length, owner });
    const isPlanned = given.filter !== undefined || given.include_linked === true;
    const request = planned && isPlanned ? planned.request : await readActRequest(transaction, act, given);
    const { expected, plan } = given;
    const check = (now: ActPlan) => refuseOtherPlan(transaction, request, plan ?? '', now, false);
    return actOnMany(transaction, request, {
      expected,
      check: plan === undefined ? undefined : check,
      owner,
    });
  });
  if (objects) operations.actJobs.run(job, objects);
  return { status: objects ? 202 : 201, body: await actJson(storage.sql, project, job) };
}

interface PlannedBefore {
  /** Its selection is what the plan has found. */
  readonly request: ActRequest;
  /** Of a job: the objects that change, those of one item together. */
  readonly objects?: readonly ActObject[];
}

/** Plans before the transaction of the act. A job checks each object again when it acts on it. */
async function planBefore(
  view: ProjectView,
  request: ActRequest,
  { expected, plan }: GivenAct,
): Promise<PlannedBefore> {
  const targets = await planTargets(view, request);
  const changing = targets.filter(({ change }) => change !== 'none');
  if (changing.length <= AT_ONCE) {
    // Issues have positions in the list.
    const selection =
      'objects' in request.selection
        ? { planned: targets, path: request.selection.path }
        : { planned: changing };
    return { request: { ...request, selection } };
  }
  requireExpected(changing.length, expected);
  if (plan !== undefined) await refuseOtherPlan(view, request, plan, onlyTargets(targets), true);
  return { request, objects: await objectsByItem(changing) };
}

async function undo({ operations, at }: Call, act: ActName): Promise<Answer> {
  const { storage } = operations;
  const isRunning = await operations.inProject(at('project'), null, async (transaction) => {
    const { tx, project } = transaction;
    const job = await findAct(tx, project.id, at('job'));
    if (job.name !== act) throw notFound(at('job'));
    const isLimited = transaction.access && !transaction.access[ACTS[act].needs].some(isEverything);
    if (isLimited && job.actor !== transaction.actor)
      throw new ServiceError('forbidden', 'Your roles are limited; you can undo only what you did yourself.');
    if (job.state !== 'running' && job.state !== 'done')
      throw new ServiceError('conflict', `The act is ${job.state} already.`);
    if (job.state === 'done' && !job.canUndo)
      throw new ServiceError('conflict', 'The act can no longer be undone.');
    if (isLimited) await requireActed(transaction, job);
    if (job.state === 'done' && job.done <= AT_ONCE) {
      await undoAtOnce(transaction, job.id);
      return false;
    }
    // A running job keeps its process, which sees that it is canceled.
    await tx.run(`UPDATE job SET state = 'canceled', updated = ?, owner = ? WHERE id = ?`, [
      tx.now,
      job.state === 'done' ? storage.owner.id : job.owner,
      job.id,
    ]);
    return true;
  });
  if (isRunning) operations.actJobs.run(at('job'));
  return { status: isRunning ? 202 : 200, body: await actJson(storage.sql, at('project'), at('job')) };
}

/** Roles may have other limits than when the person acted. @throws forbidden with what is missing */
async function requireActed(
  transaction: ProjectTransaction,
  { id, name }: Pick<StoredAct, 'id' | 'name'>,
): Promise<void> {
  const { tx, model } = transaction;
  const acted = await tx.all<{ type: number; language: number | null }>(
    `SELECT DISTINCT i.type AS type, o.language AS language
     FROM act_object o JOIN item i ON i.number = o.item WHERE o.job = ?`,
    [id],
  );
  // Languages of an archived item that were restored are not stored by themselves.
  const whole = name === 'restore' ? 'some' : 'all';
  for (const { type, language } of acted)
    requireContent(transaction, ACTS[name].needs, {
      type: model.typeByNumber.get(type) ?? 'all',
      language: model.languageByNumber.get(language ?? 0) ?? whole,
    });
}

interface StoredAct {
  readonly id: string;
  readonly name: ActName;
  readonly state: string;
  readonly owner: string | null;
  readonly actor: string | null;
  readonly done: number;
  readonly canUndo: boolean;
}

/** @throws objectNotFound */
async function findAct(sql: Sql, project: string, job: string): Promise<StoredAct> {
  const row = await sql.get<Omit<StoredAct, 'canUndo'> & { readonly undo: number }>(
    `SELECT j.id AS id, a.name AS name, j.state AS state, j.owner AS owner, j.actor AS actor, j.done AS done,
       CASE WHEN EXISTS (SELECT 1 FROM act_object o WHERE o.job = j.id) THEN 1 ELSE 0 END AS undo
     FROM act a JOIN job j ON j.id = a.job JOIN project p ON p.number = a.project WHERE a.job = ? AND p.id = ?`,
    [job, project],
  );
  if (!row) throw notFound(job);
  const { undo, ...act } = row;
  const isLeft = undo === 1;
  return {
    ...act,
    state: act.state === 'canceled' && isLeft ? 'taking_back' : act.state,
    canUndo: act.state === 'done' && isLeft,
  };
}

function notFound(job: string): ServiceError {
  return new ServiceError('objectNotFound', `There is no act with the id '${job}'.`);
}

export async function actJson(sql: Sql, project: string, job: string) {
  const { name: act, state, canUndo } = await findAct(sql, project, job);
  const { id, done, total, actor, error, created, updated } = await findJob(sql, job);
  return { id, act, state, done, total: total ?? 0, actor, error, created, updated, can_undo: canUndo };
}

/** The times that schedules are between where a query names none. */
const FIRST = '0001-01-01T00:00:00.0000000Z';
const LAST = '9999-12-31T23:59:59.0000000Z';

async function schedules({ operations, at, query }: Call): Promise<Answer> {
  const [skip] = afterOf(query, [0]);
  const limit = limitOf(query);
  const from = timeIn(query, 'from') ?? FIRST;
  const to = timeIn(query, 'to') ?? LAST;
  const rows = await operations.read(at('project'), (view) =>
    dueVariants(view, { from, to, skip, limit: limit + 1 }),
  );
  return pageAnswer(
    'schedules',
    rows.map((row, index) => ({ ...row, position: skip + index + 1 })),
    limit,
    ({ position }) => [position],
    dueJson,
  );
}

export function dueJson({ at, schedule, item, language, allowed }: DueVariant) {
  return { scheduled_to: at, schedule, ...namedVariant({ item, language }), allowed };
}

function camel(act: ActName, suffix: string): string {
  return act.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) + suffix;
}
