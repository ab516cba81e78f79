import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProject } from '../access/projects.ts';
import { ServiceError } from '../errors.ts';
import { arrayOf, closed, schema } from '../http/openapi-shapes.ts';
import { exportProject } from '../transfer/export-project.ts';
import { importProject } from '../transfer/import-project.ts';
import { type Answer, type Call, refuse } from './call.ts';
import { ARCHIVE, creates, query, routesOf, string } from './route.ts';

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

const route = routesOf({ read: 'operator', write: 'operator' });

export const transferRoutes = [
  route('POST projects/:project/export', {
    id: 'exportProject',
    summary: 'Export a project as an archive',
    permission: 'manage-project',
    answers: { 200: { description: 'The archive, a tar.', content: ARCHIVE } },
    handler: sendArchive,
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
  const folder = await mkdtemp(join(tmpdir(), 'headwater-export-'));
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
      headers: {
        'content-type': 'application/x-tar',
        'content-disposition': `attachment; filename="${project}.tar"`,
      },
    },
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
