import { ServiceError, type ValidationIssue } from '../errors.ts';
import { readJson } from './read-json.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const MESSAGE = 'The body is not valid. See validation_errors for what to change.';

/** A request body that was JSON, or empty. */
export class ParsedBody {
  readonly #text: string;
  /** Undefined when there was no body. */
  readonly value: unknown;

  constructor(text: string, value: unknown) {
    this.#text = text;
    this.value = value;
  }

  /** Characters of the body. */
  get length(): number {
    return this.#text.length;
  }

  /** @throws invalidBody (5) for anything but an object */
  object(): JsonObject {
    const { value } = this;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    throw invalidBody([{ message: 'The body must be a JSON object.', ...(this.#text && START) }]);
  }

  /** The array of a PATCH. @throws invalidBody (5) for anything else */
  array(): readonly unknown[] {
    if (Array.isArray(this.value)) return this.value;
    throw invalidBody([{ message: 'The body must be a JSON array.', ...(this.#text && START) }]);
  }

  /** An error with issues, each with line and position of its path in this body. */
  async withPositions(error: ServiceError): Promise<ServiceError> {
    const { validationErrors } = error;
    if (!validationErrors || this.#text === '') return error;
    const { locateIssues } = await import('./locate-issues.ts');
    return new ServiceError(error.errorName, error.message, {
      headers: error.headers,
      cause: error.cause,
      validationErrors: await locateIssues(this.#text, validationErrors),
    });
  }
}

const START = { line: 1, position: 1 };

/**
 * Reads a body as JSON (RFC 8259). Refuses an object with the same name twice, because parsers differ in which of them
 * they keep (section 4).
 * @param limit of its bytes; a body that declares more is not read at all
 * @throws bodyTooLarge, unsupportedMediaType for a type that is not JSON, invalidBody (5) with the position of the
 * error
 */
export async function parseBody(
  body: AsyncIterable<Uint8Array> | undefined,
  headers: Readonly<Record<string, string | undefined>>,
  limit = JSON_BYTES,
): Promise<ParsedBody> {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const text = await readText(body, limit);
  if (text === '') return new ParsedBody('', undefined);
  checkType(headers);
  if (text === undefined) throw invalidBody([{ message: 'The body is not valid UTF-8.' }]);
  if (/^\s*$/.test(text)) return new ParsedBody('', undefined);
  const read = await readJson(text);
  if ('issue' in read) throw invalidBody([read.issue]);
  return new ParsedBody(text, read.value);
}

export function invalidBody(validationErrors: readonly ValidationIssue[], cause?: unknown): ServiceError {
  return new ServiceError('invalidBody', MESSAGE, { validationErrors, cause });
}

/** Decodes each chunk when the next one arrives, so that no turn decodes the whole; undefined if it is not UTF-8. */
async function readText(
  body: AsyncIterable<Uint8Array> | undefined,
  limit: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text: string | undefined = '';
  let last: Uint8Array | undefined;
  let size = 0;
  const decode = (chunk: Uint8Array | undefined, stream: boolean) => {
    try {
      if (text !== undefined) text += decoder.decode(chunk, { stream });
    } catch {
      text = undefined;
    }
  };
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    if (last) decode(last, true);
    last = chunk;
  }
  decode(last, false);
  return text;
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('bodyTooLarge', `A JSON body can have at most ${limit} bytes.`);
}

/** Enough for fifty elements of the longest text; uploads of files are not read here. */
const JSON_BYTES = 8 * 2 ** 20;

function checkType(headers: Readonly<Record<string, string | undefined>>): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('unsupportedMediaType', 'A compressed request body is not understood.');
  }
  const contentType = headers['content-type'];
  if (contentType === undefined) return;
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8);
  const isUtf8 = charset === undefined || /^"?(utf-?8|us-ascii)"?$/.test(charset);
  if (/^(application|text)\/([a-z0-9.+-]+\+)?json$/.test(type) && isUtf8) return;
  throw new ServiceError(
    'unsupportedMediaType',
    "The body must be JSON in UTF-8, sent with 'Content-Type: application/json'.",
  );
}
