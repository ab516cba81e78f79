import type { z } from 'zod';
import { asPerson } from '../access/as-person.ts';
import { type AuditedCall, audited } from '../access/audit.ts';
import type { Person } from '../access/sessions.ts';
import { answerCall, jsonAnswer, type TagOf } from '../http/answer-call.ts';
import type { Schema } from '../http/openapi-shapes.ts';
import { readBody } from '../http/read-body.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { SurfaceRouter, toPath } from '../http/router.ts';
import type { Services } from '../http/services.ts';
import { splitPath } from '../http/split-path.ts';
import { TaggedObjects } from '../http/tagged-objects.ts';
import type { JsonObject, ParsedBody } from '../json-body/parse-body.ts';
import type { Answer, Call } from './call.ts';
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
  const project = route.path.startsWith('projects/:project') ? at('project') : undefined;
  const own = await asPerson(operations, person, route, project);
  let detail: unknown = {};
  const auditedCall = (): AuditedCall => ({
    project: route.path.includes(':project') ? at('project') : null,
    act: `${route.method} ${route.path}`,
    subject: segments.join('/'),
    detail: JSON.stringify(detail),
    actor: person?.account ?? 'admin token',
    origin: request.client ?? null,
    request: request.requestId,
  });
  const callWith = (given: Services, parsedBody: () => Promise<ParsedBody>): Call => ({
    operations: given,
    person,
    consoleUrl: request.bases.console ?? request.bases.self,
    assetBase: request.bases.assets,
    at,
    query: new URLSearchParams(request.query),
    upload: request.body,
    signal: request.signal,
    async body<Type extends z.ZodType>(type?: Type) {
      const parsed = await parsedBody();
      const value = parsed.value === undefined ? {} : parsed.object();
      const read = type && (await readBody(type, value));
      detail = read ?? describedPart(value, route.body);
      return read ?? value;
    },
  });
  return answerCall(objects, route, request, {
    operations: route.method === 'GET' ? own : audited(own, auditedCall),
    callWith,
    toCoreAnswer,
    jsonLimit: jsonBytes,
  });
}

async function toCoreAnswer({ status, body, stream }: Answer, tagOf: TagOf): Promise<CoreAnswer> {
  if (!stream) return jsonAnswer(status, body, {}, tagOf);
  return { status, headers: { 'cache-control': 'no-store', ...stream.headers }, body: stream.content };
}

function describedPart(value: JsonObject, { properties = {} }: Schema = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => Object.hasOwn(properties as object, name)),
  );
}
