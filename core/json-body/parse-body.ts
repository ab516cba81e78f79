import { ServiceError, type ValidationIssue } from '../errors.ts';
import { readJsonText } from './json-text.ts';

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

  /** @throws invalidBody (5) for anything but an object */
  object(): JsonObject {
    const { value } = this;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    throw invalidBody([{ message: 'The body must be a JSON object.', ...(this.#text && START) }]);
  }

  /** The same for an array, as PATCH takes them. */
  array(): readonly unknown[] {
    if (Array.isArray(this.value)) return this.value;
    throw invalidBody([{ message: 'The body must be a JSON array.', ...(this.#text && START) }]);
  }

  /** An error with findings, each with line and position of its path in this body. */
  async placed(error: ServiceError): Promise<ServiceError> {
    const { validationErrors } = error;
    if (!validationErrors || this.#text === '') return error;
    const { placeFindings } = await import('./place-findings.ts');
    return new ServiceError(error.errorName, error.message, {
      headers: error.headers,
      cause: error.cause,
      validationErrors: placeFindings(this.#text, validationErrors),
    });
  }
}

const START = { line: 1, position: 1 };

/**
 * Reads a body as JSON (RFC 8259). Names may stand in an object once only, because which of two counts is
 * anybody's guess, and a writer's content must not depend on one.
 * @throws unsupportedMediaType for a type that is not JSON, invalidBody (5) with the place of what is wrong
 */
export async function parseBody(
  body: AsyncIterable<Uint8Array> | undefined,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<ParsedBody> {
  const bytes = await collect(body);
  if (bytes.length === 0) return new ParsedBody('', undefined);
  checkType(headers);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalidBody([{ message: 'The body is not valid UTF-8.' }], cause);
  }
  if (text.trim() === '') return new ParsedBody('', undefined);
  const read = readJsonText(text);
  if ('finding' in read) throw invalidBody([await read.finding]);
  return new ParsedBody(text, read.value);
}

export function invalidBody(validationErrors: readonly ValidationIssue[], cause?: unknown): ServiceError {
  return new ServiceError('invalidBody', MESSAGE, { validationErrors, cause });
}

async function collect(body: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > BODY_BYTES) {
      throw new ServiceError('bodyTooLarge', `A JSON body can have at most ${BODY_BYTES / 2 ** 20} MiB.`);
    }
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && only ? only : Buffer.concat(chunks);
}

/** Fifty elements of the longest text, and some; uploads of files are not read here. */
const BODY_BYTES = 32 * 2 ** 20;

function checkType(headers: Readonly<Record<string, string | undefined>>): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('unsupportedMediaType', 'A compressed request body is not understood.');
  }
  const given = headers['content-type'];
  if (given === undefined) return;
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8);
  const isUtf8 = charset === undefined || /^"?(utf-?8|us-ascii)"?$/.test(charset);
  if (/^(application|text)\/([a-z0-9.+-]+\+)?json$/.test(type) && isUtf8) return;
  throw new ServiceError(
    'unsupportedMediaType',
    "The body must be JSON in UTF-8, sent with 'Content-Type: application/json'.",
  );
}
