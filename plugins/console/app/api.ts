/** The one way of the application to the server. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { OWN_CALL, takeAnswerInPage, takeEarlyAnswer } from './early-answers.ts';
import { secondsIn } from './retry-after.ts';

/** Path of the console, without a slash at its end. */
export const BASE = document.documentElement.dataset['base'] ?? '/console';
/** Name of the installation. */
export const TITLE = document.documentElement.dataset['title'] ?? 'Headwater';

/** Something wrong with what was sent; of an archive, with its file and row. */
export interface Issue {
  readonly message: string;
  readonly path?: string;
  readonly file?: string;
  readonly row?: number;
}

/** Why there is no answer: none came, none came in time, or a part of one. */
type NoAnswer = 'unreachable' | 'slow' | 'truncated';

/** What the server answered in place of success; status 0: it did not answer, and `message` is a `NoAnswer`. */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly issues: readonly Issue[];
  /** Number of the error in the server's catalogue. */
  readonly code: number | undefined;
  /** Seconds after which the same call may succeed, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    requestId?: string,
    issues: ApiError['issues'] = [],
    code?: number,
    retryAfter?: number,
  ) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.issues = issues;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** Whether the project is archived or does not exist: number 0 of the server's catalogue of errors. */
export function isNoProject(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.code === 0;
}

/**
 * Set while the server does not know the session any more, or it is another person's: a dialog over the page says so, and
 * nothing is saved.
 */
export const sessionEnded = signal(false);
let sessions = 1;

/** The person has signed in again. */
export function resumeSession(): void {
  sessions += 1;
  sessionEnded.value = false;
}

/** Set while a call waits for the password: called with true once it is confirmed, with false where the person gives up. */
export const confirmation = signal<((isConfirmed: boolean) => void) | undefined>(undefined);

/** Asks for the password; whether it was confirmed. */
export function confirmed(): Promise<boolean> {
  return new Promise((resolve) => {
    const before = confirmation.value;
    confirmation.value = (isConfirmed) => {
      confirmation.value = undefined;
      before?.(isConfirmed);
      resolve(isConfirmed);
    };
  });
}

/** The user for whom the page was made, or under whose name it goes on. */
const madeFor = signal<string | undefined>(undefined);
export const pageUser: ReadonlySignal<string | undefined> = madeFor;

/** Calls the listener where the page goes on for another person. @returns what ends that */
export function onPageUser(listener: () => void): () => void {
  let before = madeFor.peek();
  return madeFor.subscribe((user) => {
    if (user === before) return;
    before = user;
    listener();
  });
}

/** Of a call: what it is sent under. */
export interface CallSession {
  readonly session: number;
  readonly user: string | undefined;
}

export const callSession = (): CallSession => ({ session: sessions, user: madeFor.peek() });

/** The server has answered 401. @returns whether the call may be sent again: its person has signed in since */
export function isResumed({ session, user }: CallSession): boolean {
  if (session === sessions) sessionEnded.value = true;
  return session !== sessions && user === madeFor.peek();
}

/** Calls of the page are for this user from now on. */
export function callFor(user: string): void {
  madeFor.value = user;
}

/** Whether the page was made for this user, or for no one yet. */
export function isPageUser(user: string): boolean {
  return [undefined, user].includes(madeFor.peek());
}

/** Headers of each call. The server refuses it (401) where another person has signed in in this browser since. */
export function ownHeaders(): Readonly<Record<string, string>> {
  const user = madeFor.peek();
  return { ...OWN_CALL.headers, ...(user !== undefined && { 'x-headwater-user': user }) };
}

/** Counts answers that the person may not do something. */
export const refusals = signal(0);

/** How long an answer may take, in milliseconds. */
const LONGEST_WAIT = 30_000;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An object with its `ETag`; undefined where the answer has none. */
export interface Tagged<T> {
  readonly value: T;
  readonly etag: string | undefined;
}

/**
 * @param path below `/console/api`: `admin/projects`
 * @throws ApiError
 */
export async function call<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const answer = method === 'GET' ? takeAnswerInPage(path) : undefined;
  if (answer) return answer.value as T;
  return (await callTagged<T>(method, path, body, { signal })).value;
}

/**
 * @param body JSON, or a file
 * @param condition `etag` of the object as it was read, or `isNew` for one that there was not: where it was changed
 *   since, the server writes nothing and answers 412; `isLast`: it is sent even if the page is closed
 * @throws ApiError
 */
export async function callTagged<T>(
  method: Method,
  path: string,
  body?: unknown,
  condition: {
    readonly etag?: string | undefined;
    readonly isNew?: boolean;
    readonly isLast?: boolean;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<Tagged<T>> {
  const { etag, isNew = false, isLast = false, signal } = condition;
  const sent = callSession();
  const late = new AbortController();
  // A file takes as long as the line needs.
  const timer = body instanceof Blob ? undefined : setTimeout(() => late.abort(), LONGEST_WAIT);
  const noAnswer = (reason: NoAnswer) => new ApiError(0, late.signal.aborted ? 'slow' : reason);
  const ending = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  const early = method === 'GET' ? takeEarlyAnswer(path, ending) : undefined;
  let response: Response;
  let text: string;
  let read: unknown;
  try {
    response = await (early?.response ??
      fetch(`${BASE}/api/${path}`, {
        method,
        credentials: OWN_CALL.credentials,
        keepalive: isLast,
        headers: {
          ...ownHeaders(),
          ...(body !== undefined && {
            'content-type': body instanceof Blob ? body.type : 'application/json',
          }),
          ...(etag !== undefined && { 'if-match': etag }),
          ...(isNew && { 'if-none-match': '*' }),
        },
        ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
        signal: ending,
      }));
  } catch (error) {
    clearTimeout(timer);
    if (signal?.aborted) throw error;
    throw noAnswer('unreachable');
  }
  try {
    text = await (early?.text ?? response.text());
    read = text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw response.ok ? noAnswer('truncated') : new ApiError(response.status, '');
  } finally {
    clearTimeout(timer);
  }
  if (response.ok) return { value: read as T, etag: response.headers.get('etag') ?? undefined };
  if (response.headers.has('x-confirm-password') && (await confirmed()))
    return callTagged(method, path, body, condition);
  if (response.status === 401 && path !== 'session' && !path.startsWith('session/link') && isResumed(sent))
    return callTagged(method, path, body, condition);
  throw refused(response.status, read, response.headers.get('retry-after'));
}

/**
 * What the server answered in place of success.
 * @param body of the answer, as JSON
 * @param retryAfter its header
 */
export function refused(status: number, body: unknown, retryAfter: string | null): ApiError {
  if (status === 403) refusals.value += 1;
  const {
    message = '',
    request_id,
    error_code,
    validation_errors,
  } = (body ?? {}) as {
    readonly message?: string;
    readonly request_id?: string;
    readonly error_code?: number;
    readonly validation_errors?: ApiError['issues'];
  };
  return new ApiError(status, message, request_id, validation_errors, error_code, secondsIn(retryAfter));
}

export const get = <T>(path: string, signal?: AbortSignal) => call<T>('GET', path, undefined, signal);

/** A query string of the parameters that are given. */
export function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
