import type { DocumentedSurface } from '../support/clients/openapi-conformance.ts';
import { conforms } from '../support/clients/openapi-conformance.ts';
import type { MutatedRequest } from './mutated-requests.ts';
import { changesFraming, type RawReply } from './raw-call.ts';

/** Statuses of errors that any surface may answer with (OpenAPI: components, responses). */
const ERRORS = new Set([
  400, 401, 403, 404, 405, 406, 408, 409, 411, 412, 413, 414, 415, 416, 417, 421, 429, 431, 505,
]);

/** Above that the gateway may stop to read before it knows whom the request is for. */
const MOST_HEAD_BYTES = 30_000;
/** Node 20 drops what comes after as many fields, Node 26 refuses the request. */
const MOST_FIELDS = 1000;

/** What a header value cannot hold (RFC 9110 section 5.5). */
const isControl = (char: string) => (char < ' ' && char !== '\t') || char === '\x7f';

/** @returns what is wrong with the answer; undefined when it is as documented */
export function problemOf(request: MutatedRequest, reply: RawReply | undefined): string | undefined {
  // A client that sends half a request and disconnects gets no answer.
  if (reply === undefined) return changesFraming(request) ? undefined : 'closed without an answer';
  const { status, headers, body } = reply;
  // A worker tier that is busy refuses images.
  const isBusy = status === 503 && request.target.startsWith('/assets/');
  if (status >= 500 && status !== 505 && !isBusy) return `status ${status}: ${body.toString().slice(0, 500)}`;
  const isCutOff = status === 431 && request.headers.length >= MOST_FIELDS;
  if (!isPlain(request) || isCutOff) return errorProblem(reply);
  const type = headers['content-type'] ?? '';
  try {
    conforms(
      {
        method: request.method,
        url: `http://localhost${request.target}`,
        status,
        headers,
        body: type.startsWith('application/json') ? body.toString() : body.toString('latin1'),
      },
      request.call.surface as DocumentedSurface,
    );
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

/** The request identifies the documented call: what is no HTTP belongs to no surface. */
function isPlain(request: MutatedRequest): boolean {
  const isHttp =
    /^[!-~]+$/.test(request.target) &&
    request.headers.every(
      ([name, value]) => /^[!#$%&'*+.^`|~\w-]+$/.test(name) && ![...value].some(isControl),
    );
  const bytes = request.headers.reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    request.target.length,
  );
  return request.isThisCall && isHttp && bytes < MOST_HEAD_BYTES && !changesFraming(request);
}

/** For what is no documented call: a success, or an error in the shape of errors. */
function errorProblem({ status, headers, body }: RawReply): string | undefined {
  if (status < 400) return undefined;
  if (!ERRORS.has(status)) return `status ${status} is no documented error`;
  if (body.length === 0) return undefined;
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('application/json')) return `status ${status} with content-type "${type}"`;
  const error = JSON.parse(body.toString()) as Record<string, unknown>;
  const missing = ['message', 'request_id', 'error_code'].filter((name) => !(name in error));
  return missing.length > 0
    ? `status ${status} without ${missing.join(', ')}: ${body.toString()}`
    : undefined;
}
