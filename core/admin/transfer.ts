import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { findProject } from '../access/projects.ts';
import { ServiceError } from '../errors.ts';
import { arrayOf, closed, count, id, oneOf, orNull, schema, text, time } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { EXPORT } from '../jobs/job-kinds.ts';
import { JOB_STATES, type Job, listJobs } from '../jobs/jobs.ts';
import { timestamp } from '../storage/timestamp.ts';
import { exportProject } from '../transfer/export-project.ts';
import { importProject } from '../transfer/import-project.ts';
import { ARCHIVE_MS, archiveOf } from '../transfer/transfer-jobs.ts';
import { type Answer, type Call, NOTHING, ok, refuse } from './call.ts';
import { ARCHIVE, creates, lists, query, routesOf, string } from './route.ts';

const number = { type: 'integer' };
const imported = closed({
  id: string,
  job: string,
  repeated: { type: 'boolean' },
  assets: number,
  items: number,
  variants: number,
  violations: arrayOf(schema('AdminValidationError')),
});

const CLONE_BODY = z.strictObject({ name: z.string().describe('Name of the new project.') });

const route = routesOf({ read: 'operator', write: 'operator' });

export const transferRoutes = [
  route('POST projects/:project/export', {
    id: 'exportProject',
    summary: 'Export a project as an archive',
    permission: 'manage-project',
    answers: { 200: { description: 'The archive, a tar.', content: ARCHIVE } },
    handler: sendArchive,
  }),
  route('GET projects/:project/exports', {
    id: 'listExports',
    summary: 'List exports of a project as jobs, newest first',
    permission: 'manage-project',
    answers: lists('exports', 'AdminExport'),
    handler: async ({ operations, at }) => {
      const jobs = await listJobs(operations.reader.sql, { project: at('project'), kind: EXPORT, limit: 20 });
      return ok({ exports: jobs.map(exportJson) });
    },
  }),
  route('POST projects/:project/exports', {
    id: 'startExport',
    summary: 'Export a project as a job; the archive is kept for a day',
    permission: 'manage-project',
    answers: creates(closed({ job: string })),
    conflict: true,
    handler: async ({ operations, at, person }) => {
      const job = await operations.installation(person?.account ?? null, (to) =>
        operations.transfers.createExport(to, at('project')),
      );
      operations.transfers.runExport(job, at('project'));
      return { status: 201, body: { job } };
    },
  }),
  route('GET projects/:project/exports/:job', {
    id: 'downloadExport',
    summary: 'Download the archive of an export',
    permission: 'manage-project',
    answers: { 200: { description: 'The archive, a tar.', content: ARCHIVE } },
    conflict: true,
    handler: async ({ operations, at }) => {
      const { content, size } = await operations.transfers.open(at('project'), at('job'));
      const headers = { ...archiveHeaders(at('project')), 'content-length': String(size) };
      return { status: 200, stream: { content, headers } };
    },
  }),
  route('DELETE projects/:project/exports/:job', {
    id: 'removeExport',
    summary: 'Cancel an export that runs, or remove its archive',
    permission: 'manage-project',
    handler: async ({ operations, at }) => {
      const removeArchive = await operations.installation(null, ({ tx }) =>
        operations.transfers.remove(tx, at('project'), at('job')),
      );
      await removeArchive();
      return NOTHING;
    },
  }),
  route('POST projects/:project/clone', {
    id: 'cloneProject',
    summary: 'Copy a project to a new one, as a job',
    description:
      'Model, content with drafts and schedules, and assets are copied, but no keys, users, webhooks and history. The new project exists once the job is done. A job that is interrupted leaves nothing and is started again.',
    body: bodyOf(CLONE_BODY),
    answers: creates(closed({ job: string, id: string })),
    handler: async ({ operations, at, body, person }) => {
      const { name } = await body(CLONE_BODY);
      const actor = person?.account ?? null;
      const { job, id } = await operations.installation(actor, (to) =>
        operations.transfers.createClone(to, at('project'), name),
      );
      operations.transfers.runClone(job, at('project'), { id, name, actor });
      return { status: 201, body: { job, id } };
    },
  }),
  route('POST projects/import', {
    id: 'importProject',
    summary: 'Import a project from an archive; a failed import leaves nothing',
    parameters: [
      query('id', 'Id of the project to create; the one in the archive when not given.'),
      query('name', 'Its name; the one in the archive when not given.'),
    ],
    upload: ARCHIVE,
    answers: {
      ...creates(imported),
      200: { description: 'The project was imported before.', schema: imported },
    },
    conflict: true,
    handler: takeArchive,
  }),
];

/**
 * Writes the archive to a file first, because a slow client must not hold the snapshot, and an export that fails must not
 * end a download that has started.
 */
async function sendArchive({ operations, at, signal }: Call): Promise<Answer> {
  const project = at('project');
  if (!(await findProject(operations.reader.sql, project)))
    throw new ServiceError('unknownProject', `There is no project with the id '${project}'.`);
  // The only write of an export is its audit entry.
  const head = await operations.installation(null, async ({ options, tx }) => ({
    archive: options.newId(),
    created: tx.now,
  }));
  const folder = await operations.temporary.make('export');
  const file = join(folder, 'archive.tar');
  try {
    const into = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    await exportProject(operations, project, into, { ...head, ...(signal && { signal }) });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    status: 200,
    stream: {
      content: readAndRemove(file, folder),
      headers: archiveHeaders(project),
    },
  };
}

function archiveHeaders(project: string) {
  return {
    'content-type': 'application/x-tar',
    'content-disposition': `attachment; filename="${project}.tar"`,
  };
}

async function* readAndRemove(file: string, folder: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: 256 * 1024 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function takeArchive({ operations, query, upload }: Call): Promise<Answer> {
  if (!upload) return refuse('The body must be an archive written by export.', '');
  const project = query.get('id') ?? '';
  const name = query.get('name') ?? '';
  const bytes = upload[Symbol.asyncIterator]();
  const imported = await importProject(operations, keepOpen(bytes), {
    ...(project !== '' && { project }),
    ...(name !== '' && { name }),
  }).finally(() => drain(bytes));
  const { project: id, repeated, ...facts } = imported;
  return { status: repeated ? 200 : 201, body: { id, repeated, ...facts } };
}

/** The same bytes; a reader that stops early does not close them. */
function keepOpen(bytes: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) };
}

/** Reads the rest: a client that is refused while it sends would lose the answer with the connection. */
async function drain(bytes: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while (!(await bytes.next()).done);
  } catch {
    // The client has disconnected.
  }
}

function exportJson(job: Job) {
  const { id, state, done, total, error, created, updated } = job;
  const archive = archiveOf(job);
  return {
    id,
    state,
    done,
    total,
    error,
    created,
    bytes: archive?.size ?? null,
    expires: archive ? timestamp(Date.parse(updated) + ARCHIVE_MS) : null,
  };
}

export const transferSchemas = {
  AdminExport: closed<keyof ReturnType<typeof exportJson>>(
    {
      id: id('Id of its job.'),
      state: oneOf(JOB_STATES, 'State.'),
      done: count('How much is done.'),
      total: orNull(count('How much there is.')),
      error: orNull(text('Why it failed.')),
      created: time('When it was started.'),
      bytes: orNull(count('Size of the archive; null where there is none, or it was removed.')),
      expires: orNull(time('When the archive is removed.')),
    },
    'An export of a project.',
  ),
};
