/**
 * Error answers of delivery, preview and assets: every status a caller may see, each with examples of its codes.
 */

type Json = Record<string, unknown>;

interface ErrorCase {
  readonly code: number;
  readonly message: string;
}

const cases = {
  BadRequest: {
    status: 400,
    description: 'The request is malformed or a query parameter breaks a rule.',
    examples: {
      malformed: { code: 2, message: 'The query string is not valid percent-encoding.' },
      rangeNeedsTwoValues: { code: 1000, message: "The filter 'elements.price[range]' needs two values." },
      projectionNeedsNames: {
        code: 1001,
        message: "The parameter 'elements' must name at least one element.",
      },
      unknownOperator: { code: 1002, message: "The operator 'like' is not known." },
      parameterOnce: { code: 1003, message: "The parameter 'limit' may be given only once." },
      reservedParameter: { code: 1004, message: "The parameter 'limit' takes no operator." },
      notPositive: { code: 1005, message: "The parameter 'limit' must be a positive integer." },
      notPositiveOrZero: { code: 1006, message: "The parameter 'skip' must be a positive integer or zero." },
      orderDirection: { code: 1007, message: "The direction of 'order' must be asc or desc." },
      orderAttribute: {
        code: 1008,
        message: "It is not possible to order by 'price'; write 'elements.price'.",
      },
      orderOnce: { code: 1009, message: "The parameter 'order' may be given only once." },
      outOfBounds: {
        code: 1010,
        message: "The parameter 'limit' must lie between 1 and the limit of the service.",
      },
      queryTooExpensive: {
        code: 1011,
        message:
          "The query is estimated to cost 5200000 units, looking at 100000 items; the limit is 3000000. To stay below it, leave out 'includeTotalCount', or add a condition that few items match.",
      },
    },
  },
  Unauthorized: {
    status: 401,
    description: 'The key is missing, unknown or revoked. On delivery only while secure access is on.',
    examples: { key: { code: 3, message: 'Missing or invalid access token.' } },
    headers: {
      'WWW-Authenticate': {
        required: true,
        description: 'How to authenticate (RFC 9110 section 11.6.1).',
        schema: { type: 'string', const: 'Bearer' },
      },
    },
  },
  Forbidden: {
    status: 403,
    description: 'The key belongs to another project, or plain HTTP was used where HTTPS is required.',
    examples: {
      otherProject: { code: 4, message: 'The access token has no permission for this project.' },
      transport: { code: 2, message: 'Use HTTPS.' },
    },
  },
  NotFound: {
    status: 404,
    description: 'There is nothing at this URL, or the project or the object does not exist.',
    examples: {
      project: { code: 1, message: 'There is no project with this id.' },
      resource: { code: 1, message: 'There is no resource at this URL.' },
      item: { code: 100, message: "The content item 'lighthouse' was not found." },
      type: { code: 101, message: "The content type 'article' was not found." },
      element: { code: 102, message: "The element 'title' was not found in the content type 'article'." },
      taxonomy: { code: 104, message: "The taxonomy group 'regions' was not found." },
    },
  },
  MethodNotAllowed: {
    status: 405,
    description: 'Only GET, HEAD and OPTIONS are supported.',
    examples: { method: { code: 2, message: 'The method POST is not supported here.' } },
    headers: {
      Allow: { required: true, description: 'Methods supported here.', schema: { type: 'string' } },
    },
  },
  RequestTimeout: {
    status: 408,
    description: 'The request was sent too slowly.',
    examples: { slow: { code: 2, message: 'The request was not received in time.' } },
  },
  PreconditionFailed: {
    status: 412,
    description: 'The file is not the one that `If-Match` names.',
    examples: { other: { code: 2, message: 'The file is not the one that If-Match names.' } },
  },
  BodyTooLarge: {
    status: 413,
    description: 'The request body is larger than the limit.',
    examples: { large: { code: 2, message: 'The request body is too large.' } },
  },
  UrlTooLong: {
    status: 414,
    description: 'The URL is longer than the limit of the installation.',
    examples: { long: { code: 2, message: 'The URL is too long.' } },
  },
  RangeNotSatisfiable: {
    status: 416,
    description: 'The range begins behind the end of the file.',
    examples: { range: { code: 2, message: 'The file has 512 bytes; the range begins behind them.' } },
    headers: {
      'Content-Range': {
        required: true,
        description: 'Size of the file, as `bytes */512`.',
        schema: { type: 'string', pattern: '^bytes \\*/[0-9]+$' },
      },
    },
  },
  Misdirected: {
    status: 421,
    description:
      'The service does not have the host of the request; the operator lists hosts in `allowedHosts`.',
    examples: { host: { code: 2, message: "The host 'www.example.net' is not one of this service." } },
  },
  RateLimited: {
    status: 429,
    description:
      'Too many wrong keys came from this address, or the project has used up a quota that the operator set; repeat after the time in `Retry-After`.',
    examples: {
      failures: {
        code: 10000,
        message:
          'Too many wrong keys or tokens came from this address, so unknown ones are not looked up; try again in 12 s.',
      },
      quota: { code: 10001, message: 'The project has used up its 100000 calls of delivery this month.' },
    },
    headers: {
      'Retry-After': {
        required: true,
        description: 'Whole seconds to wait.',
        schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
      },
    },
  },
  HeadersTooLarge: {
    status: 431,
    description: 'The request headers are larger than the limit of the installation.',
    examples: { headers: { code: 2, message: 'The request headers are too large.' } },
  },
  InternalError: {
    status: 500,
    description: 'An unexpected error. The log has it under the request id.',
    examples: { internal: { code: 0, message: 'Something went wrong. Repeat the request later.' } },
  },
  Unavailable: {
    status: 503,
    description:
      'The service cannot answer now: repeat the request later, after `Retry-After` seconds where the answer has the header. Or the request takes too long: request less.',
    examples: {
      busy: { code: 0, message: 'The service is busy; try again in a moment.' },
      deadline: {
        code: 0,
        message:
          "Reading took longer than 2000 ms and was stopped. Ask for less: fewer or more selective conditions, a smaller 'limit' or 'skip', no total count.",
      },
    },
  },
} as const satisfies Record<
  string,
  {
    readonly status: number;
    readonly description: string;
    readonly examples: Readonly<Record<string, ErrorCase>>;
    readonly headers?: Json;
  }
>;

export type ErrorResponseName = keyof typeof cases;

/** The errors that any call can end in. */
const GENERAL_ERRORS = [
  'Forbidden',
  'RequestTimeout',
  'BodyTooLarge',
  'UrlTooLong',
  'Misdirected',
  'RateLimited',
  'HeadersTooLarge',
  'InternalError',
  'Unavailable',
] as const satisfies readonly ErrorResponseName[];

/** Name of the documented response for each error status. */
export const RESPONSE_OF_STATUS: ReadonlyMap<number, ErrorResponseName> = new Map(
  (Object.keys(cases) as ErrorResponseName[]).map((name) => [cases[name].status, name]),
);

/** Component responses by name; the codes of a status are closed. */
export function errorResponses(): Json {
  return Object.fromEntries(
    Object.entries(cases).map(([name, entry]) => {
      const all = Object.values(entry.examples);
      const codes = [...new Set(all.map((example) => example.code))];
      return [
        name,
        {
          description: entry.description,
          headers: {
            'X-Request-ID': { $ref: '#/components/headers/RequestId' },
            ...('headers' in entry && entry.headers),
          },
          content: {
            'application/json': {
              schema: {
                allOf: [{ $ref: '#/components/schemas/Error' }],
                properties: { error_code: { enum: codes } },
              },
              examples: Object.fromEntries(
                Object.entries(entry.examples).map(([key, example]) => [key, { value: errorBody(example) }]),
              ),
            },
          },
        },
      ];
    }),
  );
}

/** `responses` entries of an operation: its own errors, then those any call can end in. */
export function errorsOf(...own: readonly ErrorResponseName[]): Json {
  return Object.fromEntries(
    [...own, ...GENERAL_ERRORS].map((name) => [
      String(cases[name].status),
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}

function errorBody({ code, message }: ErrorCase): Json {
  return {
    message,
    request_id: '0f9d2c1e-6f0a-4c55-9a43-1f1a6f3f7b52',
    error_code: code,
    specific_code: 0,
  };
}
