import { ServiceError } from '../errors.ts';
import { findJob, type Job, listJobs } from '../jobs/jobs.ts';
import { cancelSchedule, SCHEDULE } from '../publishing/schedule.ts';
import { type Call, NOTHING, ok, route } from './call.ts';

export const jobRoutes = [
  route('GET', 'jobs', async ({ operations }) =>
    ok({ jobs: (await listJobs(operations.storage.sql)).map(toJson) }),
  ),
  route('GET', 'jobs/:job', async ({ operations, at }) =>
    ok(toJson(await findJob(operations.storage.sql, at('job')))),
  ),
  route('DELETE', 'jobs/:job', cancel),
];

async function cancel({ operations, at }: Call) {
  const job = await findJob(operations.storage.sql, at('job'));
  if (job.kind !== SCHEDULE || job.project === null)
    throw new ServiceError(
      'conflict',
      `A job of the kind '${job.kind}' cannot be canceled; it ends by itself.`,
    );
  await operations.inProject(job.project, null, async (session) => {
    // Asked again inside: its time may have come meanwhile.
    const { state } = await findJob(session.tx, job.id);
    if (state !== 'waiting') throw new ServiceError('conflict', `The job is ${state} already.`);
    await cancelSchedule(session, job.id);
  });
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
