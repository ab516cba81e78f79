import type { z } from 'zod';
import type { Person } from '../access/sessions.ts';
import { ServiceError } from '../errors.ts';
import type { Services } from '../http/services.ts';
import type { JsonObject } from '../json-body/parse-body.ts';
import { isId } from '../model/external-id.ts';
import type { Reference } from '../model/inputs.ts';
import { Issues } from '../model/issues.ts';
import { readInstant, ValueError } from '../model/plain-values.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { CancelSignal } from '../turns/cancel-signal.ts';

/** One parsed request to the admin API: the argument of a handler. Writes with `operations` are audited. */
export interface Call {
  readonly operations: Services;
  /** Who signed in at the console; undefined = the admin token was used. */
  readonly person: Person | undefined;
  /** Base URL of the console. */
  readonly consoleUrl: string;
  /** Base URL of asset files, in front of `assetPath`. */
  readonly assetBase: string;
  /** The path parameter `:name` in lower case, because ids are compared so. */
  at(name: string): string;
  readonly query: URLSearchParams;
  /** The body as a JSON object; empty if there is none. */
  body(): Promise<JsonObject>;
  /**
   * The body, parsed with a schema.
   * @throws invalidBody
   */
  body<Type extends z.ZodType>(type: Type): Promise<z.infer<Type>>;
  /** The unread body, for archives. */
  readonly upload: AsyncIterable<Uint8Array> | undefined;
  /** Fires when the client has disconnected. */
  readonly signal: CancelSignal | undefined;
}

/** Without a body the answer is empty (204). */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Bytes instead of JSON. */
  readonly stream?: {
    readonly content: AsyncIterable<Uint8Array>;
    readonly headers: Readonly<Record<string, string>>;
  };
}

export const NOTHING: Answer = { status: 204 };

/** Changes the project in one transaction and answers 204. */
export async function change(
  { operations, at }: Call,
  work: (transaction: ProjectTransaction) => Promise<unknown>,
): Promise<Answer> {
  await operations.inProject(at('project'), null, work);
  return NOTHING;
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** @throws invalidBody */
export function refuse(message: string, path: string): never {
  const issues = new Issues();
  issues.add(message, path);
  issues.refuse();
  throw new Error('An issue was not refused.');
}

/** Without properties that are undefined. */
export function defined<T extends object>(changes: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as never;
}

/** A GUID is an id, any other text a codename. */
export function referenceTo(text: string): Reference {
  return isId(text.toLowerCase()) ? { id: text.toLowerCase() } : { codename: text };
}

/** A value of a query parameter. @throws badRequest for one that is not among those known */
export function knownValue<Value extends string>(
  known: readonly Value[],
  given: string,
  name: string,
): Value {
  const value = known.find((one) => one === given);
  if (value !== undefined) return value;
  throw new ServiceError('badRequest', `'${name}' must be one of ${known.join(', ')}.`);
}

/** Whether a query parameter is `true`; not given means no. @throws badRequest for any other value than `true` and `false` */
export function isOn(query: URLSearchParams, name: string): boolean {
  const given = query.get(name);
  return given !== null && knownValue(['true', 'false'], given, name) === 'true';
}

/**
 * The time in a query parameter, as times are stored, in UTC where it has no zone; undefined where it is not given.
 * @throws badRequest
 */
export function timeIn(query: URLSearchParams, name: string): string | undefined {
  const given = query.get(name) ?? '';
  if (given === '') return undefined;
  const time = instantOf(given);
  if (time === undefined)
    throw new ServiceError('badRequest', `'${name}' must be an ISO 8601 date and time.`);
  return time;
}

/** A time as times are stored, in UTC where it has no zone; undefined where the text is none. */
export function instantOf(text: string): string | undefined {
  try {
    return readInstant(text) ?? undefined;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return undefined;
  }
}

const PAGE = 100;

/** Page size: `?limit=`, 1 to 100. */
export function limitOf(query: URLSearchParams): number {
  const given = query.get('limit');
  if (given === null) return PAGE;
  if (/^[1-9]\d{0,2}$/.test(given) && Number(given) <= PAGE) return Number(given);
  throw new ServiceError('notPositive', `'limit' must be a whole number from 1 to ${PAGE}.`);
}

/**
 * Start of the page: the numbers in `?after=`, or `first`.
 * @throws badContinuation
 */
export function afterOf<Numbers extends readonly number[]>(query: URLSearchParams, first: Numbers): Numbers {
  const given = query.get('after');
  if (given === null || given === '') return first;
  const numbers = given.split('.').map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.length === first.length && numbers.every((number) => !Number.isNaN(number)))
    return numbers as readonly number[] as Numbers;
  throw new ServiceError('badContinuation', "'after' must be the 'next' of a page of this listing.");
}

/**
 * A page of a listing, with `after` of the next one.
 * @param rows one more than the page size, if there are more
 */
export function pageAnswer<Row>(
  name: string,
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => readonly number[],
  toJson: (row: Row) => unknown,
): Answer {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return ok({ [name]: page.map(toJson), pagination: { next: last ? positionOf(last).join('.') : null } });
}
