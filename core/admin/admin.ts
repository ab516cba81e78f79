import { ServiceError } from '../errors.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { splitPath } from '../http/split-path.ts';
import { type ParsedBody, parseBody } from '../json-body/parse-body.ts';
import { jsonBytes } from '../turns/json-bytes.ts';
import { type Act, audited } from './audit.ts';
import type { Answer, Call } from './call.ts';
import { routes } from './routes.ts';

/**
 * The admin API: what a person with the admin token does (JSON; errors in the management shape).
 * @param jsonBytes largest JSON body; 8 MiB unless told
 */
export async function admin(
  operations: Services,
  request: CoreRequest,
  jsonBytes?: number,
): Promise<CoreAnswer> {
  const segments = splitPath(request.path);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const here = routes.flatMap((route) => {
    const at = match(route.path, segments);
    return at ? [{ route, at }] : [];
  });
  if (here.length === 0) throw new ServiceError('noSuchResource', 'There is no admin call at this address.');
  const found = here.find(({ route }) => route.method === method);
  if (!found)
    throw new ServiceError('methodNotAllowed', `The method ${request.method} is not supported here.`, {
      headers: { allow: here.map(({ route }) => route.method).join(', ') },
    });
  const { route, at } = found;
  let body: Promise<ParsedBody> | undefined;
  let detail: unknown = {};
  const act = (): Act => ({
    project: at['project'] ?? null,
    act: `${route.method} ${route.path}`,
    subject: segments.join('/'),
    detail: JSON.stringify(detail),
    actor: 'admin token',
    origin: request.client ?? null,
    request: request.requestId,
  });
  const call: Call = {
    operations: method === 'GET' ? operations : audited(operations, act),
    at: (name) => at[name] ?? '',
    query: new URLSearchParams(request.query),
    upload: request.body,
    signal: request.signal,
    async body() {
      body ??= parseBody(request.body, request.headers, jsonBytes);
      const parsed = await body;
      const value = parsed.value === undefined ? {} : parsed.object();
      detail = value;
      return value;
    },
  };
  try {
    return await toCoreAnswer(await route.handler(call));
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.validationErrors || !body) throw error;
    throw await (await body).placed(error);
  }
}

async function toCoreAnswer({ status, body, stream }: Answer): Promise<CoreAnswer> {
  const headers = { 'cache-control': 'no-store' };
  if (stream) return { status, headers: { ...headers, ...stream.headers }, body: stream.content };
  if (body === undefined) return { status, headers, body: null };
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: await jsonBytes(body),
  };
}

/** Ids are compared in lower case, however they are written. */
function match(pattern: string, segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  const parts = pattern.split('/');
  if (parts.length !== segments.length) return undefined;
  const at: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':')) at[part.slice(1)] = segment.toLowerCase();
    else if (part !== segment) return undefined;
  }
  return at;
}
