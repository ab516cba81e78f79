import { asPerson } from '../access/as-person.ts';
import type { Person } from '../access/sessions.ts';
import { ServiceError } from '../errors.ts';
import { answerCall, jsonAnswer, type TagOf } from '../http/answer-call.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { SurfaceRouter, toPath } from '../http/router.ts';
import { splitPath } from '../http/split-path.ts';
import { TaggedObjects } from '../http/tagged-objects.ts';
import type { Operations } from '../transaction/operations.ts';
import type { Call } from './call.ts';
import type { Answer, Route } from './route.ts';
import { routesV1 } from './v1/routes.ts';
import { routesV2 } from './v2/routes.ts';

export interface ManagementSettings {
  /** The `service` of `application/service`. */
  readonly mediaType: string;
  /** Version 2 accepts changes of items without `sitemap_locations`, which spec 4.3 requires and later clients leave out. */
  readonly sitemapLocationsOptional?: boolean;
  /** Largest JSON body; 8 MiB by default. */
  readonly jsonBytes?: number;
  /** Who signed in at the console; undefined = the gateway has checked a key. */
  readonly person?: Person | undefined;
}

const MISSING = 'There is no resource at this URL.';
const version = (routes: readonly Route[]) => ({
  router: new SurfaceRouter(routes, MISSING),
  objects: new TaggedObjects(routes),
});
const v2 = version(routesV2);
const v1 = version(routesV1);

/** Path prefixes of the versions. Clients of version 1 send no version, and `Location` headers named it `v1.0`. */
const VERSIONS = [
  { prefix: ['v2', 'projects'], ...v2 },
  { prefix: ['v1', 'projects'], ...v1 },
  { prefix: ['v1.0', 'projects'], ...v1 },
  { prefix: ['projects'], ...v1 },
];

/** Answers requests to the management API, v2 and v1 (spec 4.3, 4.4). The gateway has checked the key. */
export async function manage(
  operations: Operations,
  settings: ManagementSettings,
  request: CoreRequest,
): Promise<CoreAnswer> {
  const segments = splitPath(request.path);
  const version = VERSIONS.find(({ prefix }) => prefix.every((part, index) => segments[index] === part));
  const [id, ...rest] = segments.slice(version?.prefix.length ?? 0);
  if (!version || id === undefined) throw new ServiceError('noSuchResource', MISSING);
  const path = toPath(rest);
  const { route, parameters } = version.router.find(request.method, path);
  const project = id.toLowerCase();
  const base = `${request.bases.self}/${[...version.prefix, project].join('/')}`;
  const query = new URLSearchParams(request.query);
  const { principal } = request;
  const actor = settings.person?.account ?? (principal.kind === 'key' ? principal.user : null);
  const callWith = (given: Operations, body: Call['body']): Call => ({
    operations: given,
    project,
    actor,
    parameters,
    query,
    headers: request.headers,
    base,
    url: base + path,
    assetBase: request.bases.assets,
    continuation: request.headers['x-continuation'] || (query.get('continuationToken') ?? undefined),
    mediaType: settings.mediaType,
    locationsOptional: settings.sitemapLocationsOptional === true,
    body,
    upload: request.body,
    read: (work) => given.read(project, work),
    write: (work) => given.inProject(project, actor, work),
  });
  return answerCall(version.objects, route, request, {
    operations: await asPerson(operations, settings.person, route, project),
    callWith,
    toCoreAnswer,
    jsonLimit: settings.jsonBytes,
  });
}

function toCoreAnswer({ status, body, location, continuation }: Answer, tagOf: TagOf): Promise<CoreAnswer> {
  const headers = {
    ...(location !== undefined && { location }),
    ...(continuation !== undefined && { 'x-continuation': continuation ?? '' }),
  };
  return jsonAnswer(status, body, headers, tagOf);
}
