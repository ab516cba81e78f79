/**
 * The catalogue of errors that callers see: one entry is one stable code and one status. Messages are public; internal
 * details go to `cause`, which is only logged. Codes: spec section 7; facts about the delivery codes 0–10000 and the
 * management codes.
 */
const catalogue = {
  internal: { code: 0, status: 500 },
  unavailable: { code: 0, status: 503 },
  insufficientStorage: { code: 0, status: 507 },
  domainRule: { code: 0, status: 400 },
  unknownProject: { code: 0, status: 404 },
  noSuchResource: { code: 1, status: 404 },
  badRequest: { code: 2, status: 400 },
  forbiddenTransport: { code: 2, status: 403 },
  methodNotAllowed: { code: 2, status: 405 },
  requestTimeout: { code: 2, status: 408 },
  conflict: { code: 2, status: 409 },
  preconditionFailed: { code: 2, status: 412 },
  bodyTooLarge: { code: 2, status: 413 },
  urlTooLong: { code: 2, status: 414 },
  unsupportedMediaType: { code: 2, status: 415 },
  rangeNotSatisfiable: { code: 2, status: 416 },
  misdirected: { code: 2, status: 421 },
  headersTooLarge: { code: 2, status: 431 },
  unauthorized: { code: 3, status: 401 },
  forbidden: { code: 4, status: 403 },
  invalidBody: { code: 5, status: 400 },
  keyRevoked: { code: 7, status: 403 },
  itemNotFound: { code: 100, status: 404 },
  typeNotFound: { code: 101, status: 404 },
  elementNotFound: { code: 102, status: 404 },
  variantNotFound: { code: 103, status: 404 },
  taxonomyNotFound: { code: 104, status: 404 },
  objectNotFound: { code: 105, status: 404 },
  taxonomyGroupNotFound: { code: 107, status: 404 },
  snippetNotFound: { code: 109, status: 404 },
  languageNotFound: { code: 111, status: 404 },
  webhookNotFound: { code: 111, status: 404 },
  uploadWithoutType: { code: 205, status: 400 },
  notPublished: { code: 213, status: 400 },
  newVersionOfUnpublished: { code: 214, status: 400 },
  publishByWorkflow: { code: 215, status: 400 },
  nothingScheduled: { code: 218, status: 400 },
  rangeNeedsTwoValues: { code: 1000, status: 400 },
  projectionNeedsNames: { code: 1001, status: 400 },
  unknownOperator: { code: 1002, status: 400 },
  parameterOnce: { code: 1003, status: 400 },
  reservedParameter: { code: 1004, status: 400 },
  notPositive: { code: 1005, status: 400 },
  notPositiveOrZero: { code: 1006, status: 400 },
  orderDirection: { code: 1007, status: 400 },
  badContinuation: { code: 1007, status: 400 },
  orderAttribute: { code: 1008, status: 400 },
  orderOnce: { code: 1009, status: 400 },
  outOfBounds: { code: 1010, status: 400 },
  queryTooExpensive: { code: 1011, status: 400 },
  rateLimited: { code: 10000, status: 429 },
  quotaExceeded: { code: 10001, status: 429 },
} as const satisfies Record<string, { code: number; status: number }>;

export type ErrorName = keyof typeof catalogue;

export function isErrorName(text: string): text is ErrorName {
  return Object.hasOwn(catalogue, text);
}

/**
 * One issue with a request body; `path`, `line` and `position` only where it belongs to a value in it. In an archive,
 * `file` and `row` name the row that the path is in.
 */
export interface ValidationIssue {
  readonly message: string;
  readonly file?: string;
  /** Counted from 1. */
  readonly row?: number;
  readonly path?: string;
  readonly line?: number;
  readonly position?: number;
}

export class ServiceError extends Error {
  readonly errorName: ErrorName;
  readonly code: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly validationErrors: readonly ValidationIssue[] | undefined;
  /**
   * As in an answer (`CoreAnswer`): set where core knows which changes would remove the error, for example a missing item.
   * An error without tags must not be cached.
   */
  tags: readonly string[] | undefined;
  sequence: number | undefined;

  /** @param message public text: what is wrong and, where it helps, what to do */
  constructor(
    errorName: ErrorName,
    message: string,
    more: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly validationErrors?: readonly ValidationIssue[];
      readonly tags?: readonly string[];
      readonly sequence?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    const { code, status } = catalogue[errorName];
    const { stackTraceLimit } = Error;
    // The stacks of two errors were 60 of 870 µs of an image that is refused during overload (profile of 25,000).
    if (status === 429 || status === 503) Error.stackTraceLimit = 0;
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ServiceError';
    this.errorName = errorName;
    this.code = code;
    this.status = status;
    this.headers = more.headers ?? {};
    this.validationErrors = more.validationErrors;
    this.tags = more.tags;
    this.sequence = more.sequence;
  }
}
