import { toResponse } from './describe-routes.ts';
import { type Schema, schema } from './openapi-shapes.ts';

type Described = readonly [name: string, description: string];

const ERRORS: Readonly<Record<number, Described>> = {
  400: ['BadRequest', 'The request or its body breaks a rule.'],
  404: ['NotFound', 'There is no such object.'],
  408: ['RequestTimeout', 'The request was sent too slowly.'],
  409: ['Conflict', 'The object is in a state in which this cannot be done.'],
  412: [
    'PreconditionFailed',
    'The object is not as `If-Match` or `If-None-Match` requires, or the call changes no object with an `ETag`: nothing was written. Read it again, and send the call with its new `ETag`.',
  ],
  413: ['BodyTooLarge', 'The body is too large.'],
  414: ['UrlTooLong', 'The URL is too long.'],
  415: ['UnsupportedMediaType', 'The body is not sent as JSON.'],
  421: ['Misdirected', 'The host of the request is none of this service.'],
  431: ['HeadersTooLarge', 'The request headers are too large.'],
  500: ['InternalError', 'An internal error. The log has it under the request id.'],
  503: ['Unavailable', 'The service cannot answer now.'],
  507: ['InsufficientStorage', 'The disk of the service is full; nothing was changed.'],
};

const HEADERS: Readonly<Record<string, Schema>> = {
  401: {
    'WWW-Authenticate': {
      required: true,
      description: 'How to authenticate (RFC 9110 section 11.6.1).',
      schema: { type: 'string', const: 'Bearer' },
    },
  },
  429: {
    'Retry-After': {
      required: true,
      description: 'Whole seconds to wait.',
      schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
    },
  },
};

/**
 * Error responses of management, the admin API and the console.
 * @param prefix of their names, because the surfaces share one document
 * @param own the errors that differ between the surfaces
 * @param without statuses that no call of the surface ends in
 * @param byKey callers authenticate with a key or token: 401 says how
 */
export function describeErrors(
  prefix: string,
  body: string,
  own: Readonly<Record<401 | 403 | 429, Described>>,
  { without = [], byKey = true }: { readonly without?: readonly number[]; readonly byKey?: boolean } = {},
): {
  readonly references: Readonly<Record<string, Schema>>;
  readonly responses: Readonly<Record<string, Schema>>;
} {
  const references: Record<string, Schema> = {};
  const responses: Record<string, Schema> = {};
  for (const [status, [suffix, description]] of Object.entries({ ...ERRORS, ...own })) {
    if (without.includes(Number(status))) continue;
    const name = `${prefix}${suffix}`;
    references[status] = { $ref: `#/components/responses/${name}` };
    const headers = (status === '401' && !byKey ? undefined : HEADERS[status]) ?? {};
    responses[name] = toResponse({ description, schema: schema(body), headers });
  }
  return { references, responses };
}
