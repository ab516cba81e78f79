/** OpenAPI description of the admin API. Paths start with `/admin` and carry `x-surface`. */

import type { DocumentedCall } from './documented-call.ts';
import { adminParameters, documentedCalls } from './openapi-calls.ts';
import { adminSchemas } from './openapi-schemas.ts';

type Json = Record<string, unknown>;

const ERRORS = {
  400: ['AdminBadRequest', 'The request or its body breaks a rule.'],
  401: ['AdminUnauthorized', 'The admin token is missing or wrong.'],
  403: ['AdminForbidden', 'Plain HTTP was used where HTTPS is asked for.'],
  404: ['AdminNotFound', 'There is no such object.'],
  408: ['AdminRequestTimeout', 'The request came too slowly.'],
  409: ['AdminConflict', 'The object is in a state in which this cannot be done.'],
  413: ['AdminBodyTooLarge', 'The body is too large.'],
  414: ['AdminUrlTooLong', 'The URL is too long.'],
  415: ['AdminUnsupportedMediaType', 'The body is not sent as JSON.'],
  421: ['AdminMisdirected', 'The host of the request is none of this service.'],
  429: [
    'AdminTooManyFailures',
    'Too many wrong keys or tokens came from this address: the admin token, right or wrong, is not accepted from it before the time told.',
  ],
  431: ['AdminHeadersTooLarge', 'The request headers are too large.'],
  500: ['AdminInternalError', 'Something failed inside. The request id finds it in the log.'],
  503: ['AdminUnavailable', 'The service cannot answer now.'],
  507: ['AdminInsufficientStorage', 'The disk of the service is full; nothing was changed.'],
} as const;

/** Tags, paths and components, to be laid beside those of the other surfaces. */
export function adminOpenapi(): { tags: Json[]; paths: Json; components: Record<string, Json> } {
  const paths: Record<string, Json> = {};
  for (const call of documentedCalls) {
    const template = `/admin/${call.path.replace(/:(\w+)/g, '{$1}')}`;
    const names = [...call.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
    const item = paths[template] ?? {
      'x-surface': 'admin',
      ...(names.length > 0 && { parameters: names.map((name) => pathParameter(name)) }),
    };
    paths[template] = { ...item, [call.method]: operation(call) };
  }
  return {
    tags: [
      { name: 'Admin', description: 'Projects, keys, users, the life of content; for the admin token.' },
    ],
    paths,
    components: {
      schemas: adminSchemas(),
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, [name, description]]) => [
          name,
          answer(description, ref('schemas', 'AdminError'), status === '429' ? RETRY_AFTER : {}),
        ]),
      ),
      securitySchemes: {
        adminToken: { type: 'http', scheme: 'bearer', description: 'Admin token of the installation.' },
      },
    },
  };
}

function operation(call: DocumentedCall): Json {
  const { id, summary, query, body, optionalBody, answer: shape, created, conflict, archive } = call;
  const statuses = Object.entries(ERRORS).filter(([status]) => status !== '409' || conflict);
  const success: Json = shape
    ? {
        [created ? 201 : 200]: answer('Done.', shape),
        ...(archive && { 200: answer('It was there already.', shape) }),
      }
    : archive
      ? { 200: { description: 'The archive, a tar.', headers: requestId, content: TAR } }
      : { 204: { description: 'Done.', headers: requestId } };
  return {
    operationId: `admin${id[0]?.toUpperCase()}${id.slice(1)}`,
    summary,
    tags: ['Admin'],
    security: [{ adminToken: [] }],
    ...(query && { parameters: query.map((name) => ({ name, in: 'query', ...adminParameters[name] })) }),
    ...(body && {
      requestBody: {
        required: optionalBody !== true,
        content: { 'application/json': { schema: { type: 'object', ...body } } },
      },
    }),
    ...(archive === 'request' && { requestBody: { required: true, content: TAR } }),
    responses: {
      ...success,
      ...Object.fromEntries(statuses.map(([status, [name]]) => [status, ref('responses', name)])),
    },
  };
}

function pathParameter(name: string): Json {
  return {
    name,
    in: 'path',
    required: true,
    description: name === 'slot' ? 'Slot of the key: `delivery-primary` …' : `Id of the ${name}.`,
    schema: { type: 'string', minLength: 1 },
  };
}

const TAR: Json = {
  'application/x-tar': { schema: { type: 'string', contentMediaType: 'application/x-tar' } },
};

const requestId = { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } };

const RETRY_AFTER: Json = {
  'Retry-After': {
    required: true,
    description: 'Seconds to wait.',
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
  },
};

function answer(description: string, schema: Json, headers: Json = {}): Json {
  return {
    description,
    headers: { ...requestId, ...headers },
    content: { 'application/json': { schema } },
  };
}

function ref(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}
