import { listKeys } from '../access/keys.ts';
import { createProject, findProject, listProjects, setSecureAccess } from '../access/projects.ts';
import type { CoreAnswer, CoreRequest } from '../contract.ts';
import { ServiceError } from '../errors.ts';
import { listJobs } from '../jobs/jobs.ts';
import type { Operations } from '../operations.ts';
import { splitPath } from '../split-path.ts';
import { readJson } from './read-json.ts';

/** One call of the admin API; `:x` stands for any segment and is handed on by name. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly run: (given: Given) => Promise<{ readonly status?: number; readonly body: unknown }>;
}

interface Given {
  readonly operations: Operations;
  readonly at: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

const CALLS: readonly Call[] = [
  {
    method: 'POST',
    path: 'projects',
    run: async ({ operations, body }) => ({
      status: 201,
      // The operation checks every field itself.
      body: await operations.installation(null, (to) => createProject(to, body as never)),
    }),
  },
  {
    method: 'GET',
    path: 'projects',
    run: async ({ operations }) => ({ body: { projects: await listProjects(operations.storage.sql) } }),
  },
  {
    method: 'GET',
    path: 'projects/:project',
    run: async ({ operations, at }) => {
      const project = await findProject(operations.storage.sql, at['project'] ?? '');
      if (!project)
        throw new ServiceError('unknownProject', `There is no project with the id '${at['project']}'.`);
      return { body: project };
    },
  },
  {
    method: 'GET',
    path: 'projects/:project/keys',
    run: async ({ operations, at }) => ({
      body: { keys: await listKeys(operations.storage.sql, at['project'] ?? '') },
    }),
  },
  {
    method: 'PUT',
    path: 'projects/:project/secure-access',
    run: async ({ operations, at, body }) => {
      const { enabled } = body;
      if (typeof enabled !== 'boolean')
        throw new ServiceError('invalidBody', 'The request body is not valid.', {
          validationErrors: [{ message: "'enabled' must be true or false.", path: 'enabled' }],
        });
      return {
        body: await operations.installation(null, (to) => setSecureAccess(to, at['project'] ?? '', enabled)),
      };
    },
  },
  {
    method: 'GET',
    path: 'jobs',
    run: async ({ operations }) => ({ body: { jobs: await listJobs(operations.storage.sql) } }),
  },
];

/** The admin API: what a person with the admin token does (JSON; errors in the management shape). */
export async function admin(operations: Operations, request: CoreRequest): Promise<CoreAnswer> {
  const segments = splitPath(request.path);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const here = CALLS.flatMap((call) => {
    const at = match(call.path, segments);
    return at ? [{ call, at }] : [];
  });
  if (here.length === 0) throw new ServiceError('noSuchResource', 'There is no admin call at this address.');
  const found = here.find(({ call }) => call.method === method);
  if (!found)
    throw new ServiceError('methodNotAllowed', `${request.method} is not supported here.`, {
      headers: { allow: here.map(({ call }) => call.method).join(', ') },
    });
  const body = method === 'GET' ? {} : await readJson(request.body);
  const answer = await found.call.run({ operations, at: found.at, body });
  return {
    status: answer.status ?? 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: [Buffer.from(JSON.stringify(answer.body))],
  };
}

function match(pattern: string, segments: readonly string[]): Record<string, string> | undefined {
  const parts = pattern.split('/');
  if (parts.length !== segments.length) return undefined;
  const at: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    // Ids are written in lower case and may be asked for in any.
    if (part.startsWith(':')) at[part.slice(1)] = part === ':project' ? segment.toLowerCase() : segment;
    else if (part !== segment) return undefined;
  }
  return at;
}
