import { ServiceError, type ValidationIssue } from '../errors.ts';
import { isLongerThan } from './text-length.ts';

/** Issues in one answer. */
const ISSUE_LIMIT = 100;

/** Collects issues of an input, so that a caller gets all of them in one answer. */
export class Issues {
  readonly #found: ValidationIssue[] = [];
  readonly #message: string;
  readonly #isCounted: boolean;
  #more = 0;
  /** Row that is being read, of an input with rows. */
  location: Pick<ValidationIssue, 'file' | 'row'> = {};
  /** Prefix of paths in the part that is being read: `types[3].`. */
  within = '';

  /** @param isCounted the input has rows, so the number of further issues is known */
  constructor(
    message = 'The body is not valid. See validation_errors for what to change.',
    isCounted = false,
  ) {
    this.#message = message;
    this.#isCounted = isCounted;
  }

  /** @param path path in the body, such as `elements[2].value` */
  add(message: string, path?: string): void {
    if (this.#found.length >= ISSUE_LIMIT) this.#more += 1;
    else
      this.#found.push({
        message,
        ...this.location,
        ...(path !== undefined && { path: this.within + path }),
      });
  }

  /** Number of issues so far. */
  get count(): number {
    return this.#found.length + this.#more;
  }

  /** There is an issue with this path. */
  has(path: string): boolean {
    return this.#found.some((issue) => issue.path === path);
  }

  /** There are more issues than one answer has, so the rest of the input need not be read. */
  get isFull(): boolean {
    return this.#more > 0;
  }

  get any(): boolean {
    return this.#found.length > 0;
  }

  /** The first issues, and how many more there are. */
  get list(): readonly ValidationIssue[] {
    if (this.#more === 0) return this.#found;
    // A body is read until `isFull`; rows are read to their end.
    const rest = this.#isCounted ? `… and at least ${this.#more} more.` : '… and more.';
    return [...this.#found, { message: rest }];
  }

  /** @throws invalidBody when there are issues */
  refuse(): void {
    if (!this.any) return;
    throw new ServiceError('invalidBody', this.#message, { validationErrors: this.list });
  }
}

/** Runs `read` and adds the issues that it throws. */
export function gather<T>(issues: Issues, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    for (const { message, path } of error.validationErrors ?? [{ message: error.message, path: undefined }])
      issues.add(message, path);
    return undefined;
  }
}

/** Checks a name: not blank, at most `limit` characters. */
export function checkName(issues: Issues, name: unknown, limit: number, path = 'name'): void {
  const text = name ?? '';
  if (typeof text !== 'string') issues.add('A string is expected.', path);
  else if (text.trim() === '') issues.add('The name must not be empty.', path);
  else if (text.includes('\0')) issues.add('The name must not hold null characters.', path);
  else if (isLongerThan(text, limit))
    issues.add(`The name must not be longer than ${limit} characters.`, path);
}

export function checkExternalId(issues: Issues, externalId: unknown, path = 'external_id'): void {
  if (externalId === undefined) return;
  const text = externalId ?? '';
  if (typeof text !== 'string') {
    issues.add('A string is expected.', path);
  } else if (text.trim() === '') {
    issues.add('The external id must not be empty.', path);
  } else if (text.includes('\0')) {
    issues.add('The external id must not hold null characters.', path);
  } else if (isLongerThan(text, EXTERNAL_ID_LIMIT)) {
    issues.add(`The external id must not be longer than ${EXTERNAL_ID_LIMIT} characters.`, path);
  }
}

const EXTERNAL_ID_LIMIT = 200;

/** The list if it is an array of objects; else an empty one and an issue. */
export function listOf<T>(issues: Issues, list: readonly T[] | null | undefined, path: string): readonly T[] {
  if (list === undefined || list === null) return [];
  if (Array.isArray(list) && list.every((member) => typeof member === 'object' && member !== null))
    return list;
  issues.add('An array of objects is expected.', path);
  return [];
}

/** @throws domainRule */
export function forbid(message: string): never {
  throw new ServiceError('domainRule', message);
}
