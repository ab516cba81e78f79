/**
 * OpenAPI description of what the gateway itself answers: health, metrics, docs. Errors there have the shape
 * of the management API.
 */
type Json = Record<string, unknown>;

const statuses = {
  GatewayUnauthorized: 'The admin token is missing or wrong.',
  GatewayForbidden:
    'The call is not allowed from that address, or plain HTTP was used where HTTPS is required.',
  GatewayTooManyFailures:
    'Too many wrong keys or tokens came from this address: the admin token, right or wrong, is not accepted from it before the time in Retry-After.',
  GatewayNotFound: 'There is nothing at this URL.',
  GatewayRequestTimeout: 'The request was sent too slowly.',
  GatewayUrlTooLong: 'The URL is too long.',
  GatewayHeadersTooLarge: 'The request headers are too large.',
  GatewayMisdirected: 'The host of the request does not belong to this service.',
  GatewayError: 'An internal error. The log has it under the request id.',
} as const;

/** Document without `info` and `servers`; every path starts with `/<surface>`. */
export function gatewayOpenapi(): Record<string, unknown> {
  return {
    tags: [{ name: 'Gateway', description: 'Health, metrics and documentation of the gateway.' }],
    paths: {
      '/health/live': pathItem('health', 'healthLive', 'Is the process alive', {
        200: json('It answers.', 'Health'),
      }),
      '/health/ready': pathItem('health', 'healthReady', 'Can it serve', {
        200: json('It can.', 'Health'),
        503: json('It cannot now, or it is stopping.', 'Health'),
      }),
      '/health': pathItem(
        'health',
        'health',
        'Health of every part',
        {
          200: json('It can serve, without the parts that are not `ok`.', 'HealthDetail'),
          401: ref('responses', 'GatewayUnauthorized'),
          429: ref('responses', 'GatewayTooManyFailures'),
          503: json('It cannot now, or it is stopping.', 'HealthDetail'),
        },
        [{ adminToken: [] }],
      ),
      '/metrics': pathItem(
        'metrics',
        'metrics',
        'Metrics',
        {
          200: answer('Prometheus text.', { 'text/plain': { schema: { type: 'string' } } }),
          401: ref('responses', 'GatewayUnauthorized'),
          429: ref('responses', 'GatewayTooManyFailures'),
        },
        [{}, { adminToken: [] }],
        'Clients on this machine need no token.',
      ),
      '/docs': pathItem('docs', 'explorer', 'Explorer page', {
        200: answer('A page to try the API.', { 'text/html': { schema: { type: 'string' } } }, true),
        304: ref('responses', 'NotModified'),
      }),
      '/docs/openapi.json': pathItem('docs', 'openapi', 'This description', {
        200: answer('OpenAPI 3.1 document.', { 'application/json': { schema: { type: 'object' } } }, true),
        304: ref('responses', 'NotModified'),
      }),
    },
    components: {
      schemas: {
        Health: closed({ status: { enum: ['ok', 'unavailable'] } }),
        HealthDetail: closed({
          status: { enum: ['ok', 'unavailable'] },
          parts: {
            type: 'object',
            additionalProperties: closed({ ok: { type: 'boolean' }, detail: { type: 'string' } }),
            description: 'Parts by name.',
          },
        }),
        ManagementError: {
          ...closed({
            request_id: { type: 'string', minLength: 1, description: 'The same as in `X-Request-ID`.' },
            error_code: { type: 'integer', minimum: 0, description: 'Stable code of the error.' },
            message: { type: 'string', minLength: 1, description: 'What is wrong.' },
          }),
          description: 'Error body of the management API and of the gateway itself.',
        },
      },
      responses: Object.fromEntries(
        Object.entries(statuses).map(([name, description]) => [name, json(description, 'ManagementError')]),
      ),
      securitySchemes: {
        adminToken: { type: 'http', scheme: 'bearer', description: 'Admin token of the installation.' },
      },
    },
  };
}

function pathItem(
  surface: string,
  operationId: string,
  summary: string,
  responses: Json,
  security: readonly Json[] = [{}],
  description?: string,
): Json {
  return {
    'x-surface': surface,
    get: {
      operationId,
      summary,
      ...(description !== undefined && { description }),
      tags: ['Gateway'],
      security,
      responses: {
        ...responses,
        403: ref('responses', 'GatewayForbidden'),
        404: ref('responses', 'GatewayNotFound'),
        408: ref('responses', 'GatewayRequestTimeout'),
        414: ref('responses', 'GatewayUrlTooLong'),
        ...(surface !== 'health' && { 421: ref('responses', 'GatewayMisdirected') }),
        431: ref('responses', 'GatewayHeadersTooLarge'),
        500: ref('responses', 'GatewayError'),
      },
    },
  };
}

function answer(description: string, content: Json, etag = false): Json {
  return {
    description,
    headers: {
      'X-Request-ID': ref('headers', 'RequestId'),
      ...(etag && { ETag: ref('headers', 'ETag') }),
    },
    content,
  };
}

function json(description: string, schema: string): Json {
  return answer(description, { 'application/json': { schema: ref('schemas', schema) } });
}

function closed(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function ref(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}
