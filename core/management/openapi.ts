/** OpenAPI description of the management API. Paths start with `/manage` and carry `x-surface`. */
import type { Schema } from '../http/openapi-shapes.ts';
import { assetsOpenapi } from './openapi-assets.ts';
import { type DocumentedCall, type DocumentedPart, sharedSchemas } from './openapi-call.ts';
import { itemsOpenapi } from './openapi-items.ts';
import { modelOpenapi } from './openapi-model.ts';

type Json = Record<string, unknown>;

const PARTS: readonly DocumentedPart[] = [itemsOpenapi, modelOpenapi, assetsOpenapi];

const ERRORS = {
  400: ['ManageBadRequest', 'The request or its body breaks a rule.'],
  401: ['ManageUnauthorized', 'The key is missing or unknown.'],
  403: [
    'ManageForbidden',
    'The key was revoked, has expired or is for another project, or the management API is not enabled.',
  ],
  404: ['ManageNotFound', 'There is no such object.'],
  408: ['ManageRequestTimeout', 'The request came too slowly.'],
  409: ['ManageConflict', 'The object is in a state in which this cannot be done.'],
  413: ['ManageBodyTooLarge', 'The body is too large.'],
  414: ['ManageUrlTooLong', 'The URL is too long.'],
  415: ['ManageUnsupportedMediaType', 'The body is not sent as JSON.'],
  421: ['ManageMisdirected', 'The host of the request is none of this service.'],
  429: ['ManageRateLimited', 'Too many requests with this key; repeat after the time told.'],
  431: ['ManageHeadersTooLarge', 'The request headers are too large.'],
  500: ['ManageInternalError', 'Something failed inside. The request id finds it in the log.'],
  503: ['ManageUnavailable', 'The service cannot answer now.'],
  507: ['ManageInsufficientStorage', 'The disk of the service is full; nothing was changed.'],
} as const;

/** Tags, paths and components, to be laid beside those of the other surfaces. */
export function managementOpenapi(): { tags: Json[]; paths: Json; components: Record<string, Json> } {
  const paths: Record<string, Json> = {};
  for (const call of PARTS.flatMap(({ calls }) => calls)) {
    for (const version of call.versions) {
      for (const { template, forms } of addresses(call.path)) {
        const address = `/manage/${version}/projects/{project_id}${template === '' ? '' : `/${template}`}`;
        const item = paths[address] ?? {
          'x-surface': 'manage',
          parameters: [ref('parameters', 'ProjectId'), ...parametersOf(template)],
        };
        paths[address] = { ...item, [call.method]: operation(call, version, forms) };
      }
    }
  }
  return {
    tags: PARTS.flatMap(({ tags }) => [...tags]),
    paths,
    components: {
      schemas: { ...sharedSchemas, ...Object.assign({}, ...PARTS.map(({ schemas }) => schemas)) },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, [name, description]]) => [
          name,
          {
            ...answer(description, ref('schemas', 'ManagedError')),
            headers: {
              ...requestId,
              ...(status === '429' && retryAfter),
              ...(status === '401' && challenge),
            },
          },
        ]),
      ),
      securitySchemes: {
        managementKey: { type: 'http', scheme: 'bearer', description: 'Management key of the project.' },
      },
    },
  };
}

/** Forms a reference takes in a path, with what tells their operations apart. */
const FORMS = [
  { path: (name: string) => `{${name}_id}`, suffix: '' },
  { path: (name: string) => `codename/{${name}_codename}`, suffix: 'Codename' },
  { path: (name: string) => `external-id/{${name}_external_id}`, suffix: 'ExternalId' },
];

function addresses(path: string): { template: string; forms: string }[] {
  let made = [{ template: '', forms: '' }];
  for (const part of path === '' ? [] : path.split('/')) {
    const [, name] = /^<(\w+)>$/.exec(part) ?? [];
    made = made.flatMap(({ template, forms }) =>
      (name === undefined ? [{ path: () => part.replace(/^:(\w+)$/, '{$1}'), suffix: '' }] : FORMS).map(
        (form) => ({
          template: [...(template === '' ? [] : [template]), form.path(name ?? '')].join('/'),
          forms: form.suffix === '' ? forms : `${forms}By${capital(name ?? '')}${form.suffix}`,
        }),
      ),
    );
  }
  return made;
}

function parametersOf(template: string): Json[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: `${capital(name.replaceAll('_', ' '))}.`,
    schema: { type: 'string', minLength: 1 },
  }));
}

function operation(call: DocumentedCall, version: 'v1' | 'v2', forms: string): Json {
  const changesOnly = call.madeByExternalId === true && !forms.endsWith('ExternalId');
  const answers = Object.entries(call.answers).filter(([status]) => !(changesOnly && status === '201'));
  return {
    operationId: `manage${capital(version)}${capital(call.id)}${forms}`,
    summary: call.summary,
    ...(call.description !== undefined && { description: call.description }),
    tags: [call.tag],
    security: [{ managementKey: [] }],
    ...(call.paged && { parameters: continuation }),
    ...(call.body && {
      requestBody: {
        required: call.bodyOptional !== true,
        content: { 'application/json': { schema: call.body } },
      },
    }),
    ...(call.upload && {
      requestBody: {
        required: true,
        content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        answers.map(([status, schema]) => [
          status,
          schema === null
            ? { description: 'Done.', headers: requestId }
            : {
                ...answer('Done.', schema),
                headers: {
                  ...requestId,
                  ...(status === '201' && location),
                  ...(call.paged && nextToken),
                },
              },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(ERRORS).map(([status, [name]]) => [status, ref('responses', name)]),
      ),
    },
  };
}

const continuation = [
  {
    name: 'continuationToken',
    in: 'query',
    required: false,
    description: 'Token of the page, from the page before.',
    schema: { type: 'string' },
  },
  {
    name: 'x-continuation',
    in: 'header',
    required: false,
    description: 'The same as a header.',
    schema: { type: 'string' },
  },
];

const requestId = { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } };
const location = {
  Location: {
    required: true,
    description: 'Absolute address of what was made.',
    schema: { type: 'string', format: 'uri' },
  },
};
const nextToken = {
  'x-continuation': {
    required: true,
    description: 'Token of the next page; empty on the last.',
    schema: { type: 'string' },
  },
};
const retryAfter = {
  'Retry-After': {
    required: true,
    description: 'Whole seconds to wait.',
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
  },
};
const challenge = {
  'WWW-Authenticate': {
    required: true,
    description: 'How to authenticate (RFC 9110 section 11.6.1).',
    schema: { type: 'string', const: 'Bearer' },
  },
};

function answer(description: string, schema: Schema): Json {
  return { description, headers: requestId, content: { 'application/json': { schema } } };
}

function ref(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
