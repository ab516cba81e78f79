import { ServiceError } from '../errors.ts';
import { IMPORT } from '../jobs/import-job.ts';
import { endJob, findJob, type Job, listJobs } from '../jobs/jobs.ts';
import { cancelSchedule, SCHEDULE } from '../publishing/schedule.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { cancelImport } from '../transfer/running-imports.ts';
import { REPLAY } from '../webhooks/operator/replays.ts';
import { type Call, NOTHING, ok, route } from './call.ts';

export const jobRoutes = [
  route('GET', 'jobs', async ({ operations }) =>
    ok({ jobs: (await listJobs(operations.reader.sql)).map(toJson) }),
  ),
  route('GET', 'jobs/:job', async ({ operations, at }) =>
    ok(toJson(await findJob(operations.reader.sql, at('job')))),
  ),
  route('DELETE', 'jobs/:job', cancel),
];

/** Kinds with the state in which they can be canceled. */
const CANCELABLE: Readonly<Record<string, string>> = {
  [SCHEDULE]: 'waiting',
  [IMPORT]: 'running',
  [REPLAY]: 'running',
};

async function cancel({ operations, at }: Call) {
  const job = await findJob(operations.reader.sql, at('job'));
  if (!Object.hasOwn(CANCELABLE, job.kind) || job.project === null)
    throw new ServiceError(
      'conflict',
      `A job of the kind '${job.kind}' cannot be canceled; it ends by itself.`,
    );
  const cancelInside = async (transaction: ProjectTransaction) => {
    // Asked again inside: its time may have come meanwhile.
    const { state } = await findJob(transaction.tx, job.id);
    if (state !== CANCELABLE[job.kind]) throw new ServiceError('conflict', `The job is ${state} already.`);
    if (job.kind === SCHEDULE) await cancelSchedule(transaction, job.id);
    else await endJob(transaction.tx, job.id, 'canceled');
  };
  // A project that is being imported is archived until all of it is there.
  await operations.inProject(job.project, null, cancelInside, { archived: job.kind === IMPORT });
  if (job.kind === IMPORT) await cancelImport(operations.storage, job.project);
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
