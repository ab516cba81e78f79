import type { z } from 'zod';
import { asPerson } from '../access/as-person.ts';
import { requireConfirmed, requirePermission } from '../access/permissions.ts';
import type { Person } from '../access/sessions.ts';
import { ServiceError } from '../errors.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { SurfaceRouter, toPath } from '../http/router.ts';
import type { Services } from '../http/services.ts';
import { splitPath } from '../http/split-path.ts';
import { TaggedObjects } from '../http/tagged-objects.ts';
import { type ParsedBody, parseBody } from '../json-body/parse-body.ts';
import { jsonBytes as toJsonBytes } from '../turns/json-bytes.ts';
import { type Act, audited } from './audit.ts';
import type { Answer, Call } from './call.ts';
import { readBody } from './read-body.ts';
import { routes } from './routes.ts';

const router = new SurfaceRouter(routes, 'There is no admin call at this URL.');
const objects = new TaggedObjects(routes);

export interface AdminOptions {
  /** Largest JSON body; 8 MiB by default. */
  readonly jsonBytes?: number;
  /** Who signed in at the console; undefined = the gateway has checked the admin token. */
  readonly person?: Person | undefined;
}

/** Answers requests to the admin API. */
export async function admin(
  operations: Services,
  request: CoreRequest,
  { jsonBytes, person }: AdminOptions = {},
): Promise<CoreAnswer> {
  const segments = splitPath(request.path);
  const { route, parameters } = router.find(request.method, toPath(segments));
  const at = (name: string) => parameters.text(name).toLowerCase();
  let own = operations;
  if (person) {
    const project = route.path.startsWith('projects/:project') ? at('project') : undefined;
    const needed = route.permission ?? 'operator';
    const access = await requirePermission(operations.reader.sql, person, project, needed);
    requireConfirmed(person, route.method, needed);
    own = asPerson(operations, person, access);
  }
  let body: Promise<ParsedBody> | undefined;
  let detail: unknown = {};
  const act = (): Act => ({
    project: route.path.includes(':project') ? at('project') : null,
    act: `${route.method} ${route.path}`,
    subject: segments.join('/'),
    detail: JSON.stringify(detail),
    actor: person?.account ?? 'admin token',
    origin: request.client ?? null,
    request: request.requestId,
  });
  const callWith = (given: Services): Call => ({
    operations: given,
    person,
    consoleUrl: request.bases.console ?? request.bases.self,
    assetBase: request.bases.assets,
    at,
    query: new URLSearchParams(request.query),
    upload: request.body,
    signal: request.signal,
    async body<Type extends z.ZodType>(type?: Type) {
      body ??= parseBody(request.body, request.headers, jsonBytes);
      const parsed = await body;
      const value = parsed.value === undefined ? {} : parsed.object();
      detail = value;
      return type ? readBody(type, value) : value;
    },
  });
  const acting = route.method === 'GET' ? own : audited(own, act);
  try {
    const conditioned = objects.conditional(route, acting, request.headers, (object, inside) =>
      object.handler(callWith(inside)),
    );
    const answer = await route.handler(callWith(conditioned));
    return await toCoreAnswer(answer, (bytes) => objects.tagOf(route, answer.body, bytes));
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.validationErrors || !body) throw error;
    throw await (await body).withPositions(error);
  }
}

async function toCoreAnswer(
  { status, body, stream }: Answer,
  tagOf: (bytes: readonly Uint8Array[]) => Promise<string | undefined>,
): Promise<CoreAnswer> {
  const headers = { 'cache-control': 'no-store' };
  if (stream) return { status, headers: { ...headers, ...stream.headers }, body: stream.content };
  if (body === undefined) return { status, headers, body: null };
  const bytes = await toJsonBytes(body);
  const etag = await tagOf(bytes);
  return {
    status,
    headers: {
      ...headers,
      ...(etag !== undefined && { etag }),
      'content-type': 'application/json; charset=utf-8',
    },
    body: bytes,
  };
}
