import type { Schema } from './openapi-shapes.ts';
import type { AnswerDescription, Route } from './route.ts';
import { TaggedObjects } from './tagged-objects.ts';

/** The common part of all operations of a surface in the OpenAPI document. */
export interface SurfaceDescription {
  readonly surface: string;
  /** Start of each path: `/manage/v2/projects/{project_id}`. */
  readonly base: string;
  /** Parameters of `base`. */
  readonly parameters: readonly Schema[];
  /** Absent: the routes themselves describe the parameters of their paths. */
  readonly describeParameter?: (name: string) => string;
  /** Of all its operations; else the routes have tags. */
  readonly tag?: string;
  /** Start of each `operationId`. */
  readonly idPrefix: string;
  readonly security: readonly Schema[];
  /** Responses with a status below 200 or above 299, by status. */
  readonly errors: Readonly<Record<string, unknown>>;
  /** Only calls that are marked with `conflict` may end in 409. */
  readonly marksConflicts?: boolean;
}

/** The path items of an OpenAPI document; a `<reference>` makes a path for each of its forms. */
export function describeRoutes(
  surface: SurfaceDescription,
  routes: readonly Route<unknown>[],
): Record<string, Schema> {
  const paths: Record<string, Schema> = {};
  const objects = new TaggedObjects(routes);
  for (const route of routes) {
    const conditions = { isTagged: objects.shownBy(route) !== undefined, changes: objects.changedBy(route) };
    for (const { template, suffix } of templatesOf(route.path)) {
      const parameters = [...surface.parameters, ...parametersOf(surface, template)];
      const address = `${surface.base}${template}`;
      const item = paths[address] ?? {
        'x-surface': surface.surface,
        ...(parameters.length > 0 && { parameters }),
      };
      paths[address] = {
        ...item,
        [route.method.toLowerCase()]: toOperation(surface, route, suffix, conditions),
      };
    }
  }
  return paths;
}

function parametersOf({ describeParameter }: SurfaceDescription, template: string): Schema[] {
  if (!describeParameter) return [];
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: describeParameter(name),
    schema: { type: 'string', minLength: 1 },
  }));
}

/** Forms of a reference in a path, and the suffix of their operation ids. */
const FORMS = [
  { path: (name: string) => `{${name}_id}`, suffix: () => '' },
  {
    path: (name: string) => `codename/{${name}_codename}`,
    suffix: (name: string) => `By${capital(name)}Codename`,
  },
  {
    path: (name: string) => `external-id/{${name}_external_id}`,
    suffix: (name: string) => `By${capital(name)}ExternalId`,
  },
];

function templatesOf(path: string): { template: string; suffix: string }[] {
  let made = [{ template: '', suffix: '' }];
  for (const part of path === '' ? [] : path.split('/')) {
    const name = /^<(\w+)>$/.exec(part)?.[1];
    made = made.flatMap(({ template, suffix }) =>
      name === undefined
        ? [{ template: `${template}/${part.replace(/^:(\w+)$/, '{$1}')}`, suffix }]
        : FORMS.map((form) => ({
            template: `${template}/${form.path(name)}`,
            suffix: suffix + form.suffix(name),
          })),
    );
  }
  return made;
}

interface Conditions {
  readonly isTagged: boolean;
  readonly changes: Route<unknown> | undefined;
}

function toOperation(
  surface: SurfaceDescription,
  route: Route<unknown>,
  suffix: string,
  { isTagged, changes }: Conditions,
): Schema {
  const { description, body, bodyOptional, upload, answers = { 204: {} }, conflict } = route;
  const parameters = [...(route.parameters ?? []), ...(changes ? conditionsOf(route, changes) : [])];
  const content = upload ?? (body && { 'application/json': { schema: body } });
  return {
    operationId: `${surface.idPrefix}${surface.idPrefix === '' ? route.id : capital(route.id)}${suffix}`,
    summary: route.summary,
    ...(description !== undefined && { description }),
    tags: [surface.tag ?? route.tag],
    security: surface.security,
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: bodyOptional !== true, content } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers)
          .filter(([, { onlyByExternalId }]) => !onlyByExternalId || suffix.endsWith('ExternalId'))
          .map(([status, answer]) => [
            status,
            toResponse(isTagged ? { ...answer, headers: { ...answer.headers, ...ETAG } } : answer),
          ]),
      ),
      ...Object.fromEntries(
        Object.entries(surface.errors).filter(
          ([status]) =>
            (status !== '409' || !surface.marksConflicts || conflict === true) &&
            (status !== '412' || route.method !== 'GET') &&
            // The type of a body is looked at only where a body is read as JSON.
            (status !== '415' || body !== undefined),
        ),
      ),
    },
  };
}

const ETAG = {
  ETag: {
    required: true,
    description: 'Strong entity tag of the object (RFC 9110, 8.8.3), for `If-Match`.',
    schema: { type: 'string' },
  },
};

/** A call below the path of an object refers to the tag of that object. */
function conditionsOf({ path }: Route<unknown>, object: Route<unknown>): Schema[] {
  const of = path === object.path ? 'this object' : `the object that \`${object.id}\` reads`;
  return [
    condition(
      'If-Match',
      `Nothing is written, and the answer is 412, unless ${of} has one of these entity tags.`,
    ),
    condition('If-None-Match', `The same where ${of} has one of these entity tags; \`*\`: where it exists.`),
  ];
}

function condition(name: string, description: string): Schema {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

/** Every answer has the header `X-Request-ID`. */
export function toResponse({ description = 'Done.', schema, content, headers }: AnswerDescription): Schema {
  const media = content ?? (schema && { 'application/json': { schema } });
  return {
    description,
    headers: { 'X-Request-ID': { $ref: '#/components/headers/RequestId' }, ...headers },
    ...(media && { content: media }),
  };
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
