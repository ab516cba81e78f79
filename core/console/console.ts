import type { z } from 'zod';
import { audited } from '../access/audit.ts';
import type { Person } from '../access/sessions.ts';
import { jsonAnswer } from '../http/answer-call.ts';
import { readBody } from '../http/read-body.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { SurfaceRouter, toPath } from '../http/router.ts';
import type { Services } from '../http/services.ts';
import { splitPath } from '../http/split-path.ts';
import { parseBody } from '../json-body/parse-body.ts';
import type { ConsoleCall, ConsoleParts } from './call.ts';
import { routes } from './routes.ts';

const router = new SurfaceRouter(routes, 'The console has no call at this URL.');
/** Largest JSON body. */
const BODY_BYTES = 65_536;

/** Answers what the console needs beside the management and the admin API: signing in and sessions. */
export async function answerConsole(
  services: Services,
  parts: ConsoleParts,
  request: CoreRequest,
  person: Person | undefined,
): Promise<CoreAnswer> {
  const { route, parameters } = router.find(request.method, toPath(splitPath(request.path)));
  const call: ConsoleCall = {
    ...parts,
    services,
    principal: request.principal,
    person,
    client: {
      address: request.client ?? null,
      browser: request.headers['user-agent']?.slice(0, 300) ?? null,
    },
    query: new URLSearchParams(request.query),
    isGateway: request.principal.kind === 'admin',
    base: request.bases.self,
    signal: request.signal,
    request: request.requestId,
    at: (name) => parameters.text(name).toLowerCase(),
    async body<Type extends z.ZodType>(type: Type) {
      return readBody(type, (await parseBody(request.body, request.headers, BODY_BYTES)).object());
    },
    audited: (entry) =>
      audited(services, () => ({
        ...entry,
        project: null,
        detail: '{}',
        origin: request.client ?? null,
        request: request.requestId,
      })),
  };
  const { status, body, cookie } = await route.handler(call);
  return jsonAnswer(status, body, cookie === undefined ? {} : { 'set-cookie': cookie });
}
