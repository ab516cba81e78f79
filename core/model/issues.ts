import { ServiceError, type ValidationIssue } from '../errors.ts';

/** An answer with more findings than this helps nobody. */
const ISSUE_LIMIT = 100;

/** Gathers what is wrong with an input, so that a caller gets all of it in one answer. */
export class Issues {
  readonly #found: ValidationIssue[] = [];
  readonly #message: string;
  readonly #isCounted: boolean;
  #more = 0;
  /** What is read just now, where an input has many rows. */
  place: Pick<ValidationIssue, 'file' | 'row'> = {};
  /** Stands before the paths of what is read just now: `types[3].`. */
  within = '';

  /** @param isCounted the input has rows, so that it can be told how many findings there are beside the first ones */
  constructor(
    message = 'The body is not valid. See validation_errors for what to change.',
    isCounted = false,
  ) {
    this.#message = message;
    this.#isCounted = isCounted;
  }

  /** @param path place in the body, such as `elements[2].value` */
  add(message: string, path?: string): void {
    if (this.#found.length >= ISSUE_LIMIT) this.#more += 1;
    else
      this.#found.push({ message, ...this.place, ...(path !== undefined && { path: this.within + path }) });
  }

  /** Findings so far, those that are only counted included. */
  get count(): number {
    return this.#found.length + this.#more;
  }

  /** Something was found at this very place. */
  has(path: string): boolean {
    return this.#found.some((finding) => finding.path === path);
  }

  /** More was found than is told, so the rest of an input need not be looked at. */
  get isFull(): boolean {
    return this.#more > 0;
  }

  get any(): boolean {
    return this.#found.length > 0;
  }

  /** As they are told: the first ones, and how many there are beside them. */
  get findings(): readonly ValidationIssue[] {
    if (this.#more === 0) return this.#found;
    // Readers of a body stop when there are more than are told; readers of rows go on with the next row.
    const rest = this.#isCounted ? `… and at least ${this.#more} more.` : '… and more.';
    return [...this.#found, { message: rest }];
  }

  /** @throws invalidBody when something was found */
  refuse(): void {
    if (!this.any) return;
    throw new ServiceError('invalidBody', this.#message, { validationErrors: this.findings });
  }
}

function findingOf({ message }: ServiceError): ValidationIssue[] {
  return [{ message }];
}

/** Runs a reader of its own findings, which become findings here. */
export function gather<T>(issues: Issues, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    for (const { message, path } of error.validationErrors ?? findingOf(error)) issues.add(message, path);
    return undefined;
  }
}

/** A name as objects of all kinds have one: not blank, at most `limit` characters. */
export function checkName(issues: Issues, name: unknown, limit: number, path = 'name'): void {
  if (typeof name !== 'string' || name.trim() === '') issues.add('The name must not be empty.', path);
  else if (name.includes('\0')) issues.add('The name must not hold null characters.', path);
  else if (name.length > limit) issues.add(`The name must not be longer than ${limit} characters.`, path);
}

export function checkExternalId(issues: Issues, externalId: unknown, path = 'external_id'): void {
  if (externalId === undefined) return;
  if (typeof externalId !== 'string' || externalId.trim() === '') {
    issues.add('The external id must not be empty.', path);
  } else if (externalId.includes('\0')) {
    issues.add('The external id must not hold null characters.', path);
  } else if (externalId.length > EXTERNAL_ID_LIMIT) {
    issues.add(`The external id must not be longer than ${EXTERNAL_ID_LIMIT} characters.`, path);
  }
}

const EXTERNAL_ID_LIMIT = 200;

/** The list, if it is an array of objects; else nothing, and the finding. Bodies come as they were sent. */
export function listOf<T>(issues: Issues, list: readonly T[] | null | undefined, path: string): readonly T[] {
  if (list === undefined || list === null) return [];
  if (Array.isArray(list) && list.every((one) => typeof one === 'object' && one !== null)) return list;
  issues.add('An array of objects is expected.', path);
  return [];
}

/** @throws domainRule */
export function forbid(message: string): never {
  throw new ServiceError('domainRule', message);
}
