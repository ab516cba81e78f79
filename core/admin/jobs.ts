import { ServiceError } from '../errors.ts';
import { closed, count, id, orNull, text, time } from '../http/openapi-shapes.ts';
import { ACT_ON_MANY, CLONE, EXPORT, IMPORT, REPLAY, SCHEDULE } from '../jobs/job-kinds.ts';
import {
  type AfterJob,
  endJob,
  findJob,
  JOB_STATES,
  type Job,
  type ListedJob,
  listJobs,
} from '../jobs/jobs.ts';
import { cancelSchedule } from '../publishing/schedule.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { cancelImport } from '../transfer/remove-import.ts';
import { type Answer, type Call, knownValue, limitOf, NOTHING, ok } from './call.ts';
import { pages, query, routesOf, shows } from './route.ts';

const route = routesOf({ read: 'operator', write: 'operator' });

export const jobRoutes = [
  route('GET jobs', {
    id: 'listJobs',
    summary: 'List jobs',
    ...pages('jobs', 'AdminJob', [
      query('project', 'Id of a project.'),
      query('kind', '`recompile`, `scheduled-publish` …'),
      query('state', 'State.', { enum: [...JOB_STATES] }),
    ]),
    handler: list,
  }),
  route('GET jobs/:job', {
    id: 'getJob',
    summary: 'Read a job',
    answers: shows('AdminJob'),
    handler: async ({ operations, at }) => ok(toJson(await findJob(operations.reader.sql, at('job')))),
  }),
  route('DELETE jobs/:job', { id: 'cancelJob', summary: 'Cancel a job', conflict: true, handler: cancel }),
];

async function list({ operations, query }: Call): Promise<Answer> {
  const limit = limitOf(query);
  const state = query.get('state') ?? '';
  const project = query.get('project')?.toLowerCase() ?? '';
  const kind = query.get('kind') ?? '';
  const rows = await listJobs(operations.reader.sql, {
    limit: limit + 1,
    after: afterJob(query.get('after') ?? ''),
    ...(project !== '' && { project }),
    ...(kind !== '' && { kind }),
    ...(state !== '' && { state: knownValue(JOB_STATES, state, 'state') }),
  });
  const jobs = rows.slice(0, limit);
  const last = rows.length > limit ? jobs.at(-1) : undefined;
  return ok({ jobs: jobs.map(toJson), pagination: { next: last ? nextOf(last) : null } });
}

const nextOf = ({ rank, created, id }: ListedJob) => `${rank}_${created}_${id}`;

/** @throws badContinuation */
function afterJob(given: string): AfterJob | undefined {
  if (given === '') return undefined;
  const [, rank = '', created = '', id = ''] =
    /^([012])_([\d:.TZ-]{20,30})_([\da-f-]{36})$/.exec(given) ?? [];
  if (id !== '') return [Number(rank), created, id];
  throw new ServiceError('badContinuation', "'after' must be the 'next' of a page of this listing.");
}

/** Kinds of jobs that can be canceled, with the state in which they can. */
const CANCELABLE: Readonly<Record<string, string>> = {
  [ACT_ON_MANY]: 'running',
  [SCHEDULE]: 'waiting',
  [IMPORT]: 'running',
  [REPLAY]: 'running',
  [EXPORT]: 'running',
  [CLONE]: 'running',
};

async function cancel({ operations, at }: Call) {
  const job = await findJob(operations.reader.sql, at('job'));
  if (!Object.hasOwn(CANCELABLE, job.kind) || job.project === null)
    throw new ServiceError(
      'conflict',
      `A job of the kind '${job.kind}' cannot be canceled; it ends by itself.`,
    );
  const cancelInside = async (transaction: ProjectTransaction) => {
    // Read again in the transaction, because the job may have started.
    const { state } = await findJob(transaction.tx, job.id);
    if (state !== CANCELABLE[job.kind]) throw new ServiceError('conflict', `The job is ${state} already.`);
    if (job.kind === SCHEDULE) await cancelSchedule(transaction, job.id);
    else await endJob(transaction.tx, job.id, 'canceled');
  };
  // A project is archived until its import is complete.
  await operations.inProject(job.project, null, cancelInside, { archived: job.kind === IMPORT });
  if (job.kind === IMPORT) await cancelImport(operations.storage, job.id, job.project);
  return NOTHING;
}

function toJson({
  id,
  kind,
  project,
  subject,
  state,
  done,
  total,
  actor,
  error,
  due,
  created,
  updated,
}: Job) {
  return { id, kind, project, subject, state, done, total, actor, error, due, created, updated };
}

export const jobSchemas = {
  AdminJob: closed<keyof ReturnType<typeof toJson>>(
    {
      id: id('Id of the job.'),
      kind: text('`recompile`, `scheduled-publish` …'),
      project: orNull(id('Id of the project.')),
      subject: text('What it works on.'),
      state: { enum: ['waiting', 'running', 'done', 'failed', 'canceled'], description: 'State.' },
      done: count('How much is done.'),
      total: orNull(count('How much there is.')),
      actor: orNull(id('User it works for; null = the installation.')),
      error: orNull(text('Why it failed.')),
      due: orNull(time('When it is due.')),
      created: time('When it was created.'),
      updated: time('When its state changed last.'),
    },
    'A long task.',
  ),
};
