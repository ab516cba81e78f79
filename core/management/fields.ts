import { ServiceError } from '../errors.ts';
import type { JsonObject } from '../json-body/parse-body.ts';
import type { Reference } from '../model/inputs.ts';
import type { Issues } from '../model/issues.ts';
import { formOf } from '../model/reference.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';

/**
 * Reads the fields of one object of a body by kind. A value of the wrong kind is an issue and reads as absent. Null reads
 * as absent, except in `textOrNull`. Other fields are ignored, because clients send back what they got.
 */
export class Fields {
  readonly issues: Issues;
  /** Path of the object in the body; empty for the body itself. */
  readonly path: string;
  readonly #object: JsonObject;

  constructor(issues: Issues, value: unknown, path = '') {
    this.issues = issues;
    this.path = path;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) issues.add('An object is expected.', path === '' ? undefined : path);
    this.#object = isObject ? (value as JsonObject) : {};
  }

  /** The unchecked value. */
  raw(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** Adds an issue if the field is absent; null is present. */
  require(name: string): boolean {
    if (this.raw(name) !== undefined) return true;
    this.issues.add(`The property '${name}' is missing.`, this.path === '' ? undefined : this.path);
    return false;
  }

  text(name: string): string | undefined {
    return this.textOrNull(name) ?? undefined;
  }

  /** A codename or external id; for an absent one, published clients send an empty string. */
  identifier(name: string): string | undefined {
    return this.text(name) || undefined;
  }

  textOrNull(name: string): string | null | undefined {
    const value = this.raw(name);
    if (value === undefined || value === null || typeof value === 'string') return value;
    this.issues.add('A string is expected.', this.at(name));
    return undefined;
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name) ?? undefined;
    if (value === undefined || typeof value === 'boolean') return value;
    this.issues.add('true or false is expected.', this.at(name));
    return undefined;
  }

  /** Exactly one of id, codename, external id. */
  reference(name: string): Reference | undefined {
    const value = this.raw(name) ?? undefined;
    if (value === undefined) return undefined;
    return readReference(this.issues, value, this.at(name));
  }

  references(name: string): Promise<Reference[] | undefined> {
    return this.#values(name, (value, at) => readReference(this.issues, value, at));
  }

  object(name: string): Fields | undefined {
    const value = this.raw(name) ?? undefined;
    return value === undefined ? undefined : new Fields(this.issues, value, this.at(name));
  }

  /** An array of objects. */
  list(name: string): Fields[] | undefined {
    return this.#array(name)?.map(
      (value, index) => new Fields(this.issues, value, `${this.at(name)}[${index}]`),
    );
  }

  /** Like `list`, with `read` for each. Yields to other requests while a long array is read. */
  async each<T>(name: string, read: (one: Fields) => T | Promise<T>): Promise<T[] | undefined> {
    const values = this.#array(name);
    if (!values) return undefined;
    const all: T[] = [];
    for (const [index, value] of values.entries()) {
      if (isTurnLong()) await nextTurn();
      all.push(await read(new Fields(this.issues, value, `${this.at(name)}[${index}]`)));
    }
    return all;
  }

  texts(name: string): Promise<string[] | undefined> {
    return this.#values(name, (value, at) => {
      if (typeof value === 'string') return value;
      this.issues.add('A string is expected.', at);
      return undefined;
    });
  }

  async #values<T>(
    name: string,
    read: (value: unknown, at: string) => T | undefined,
  ): Promise<T[] | undefined> {
    const values = this.#array(name);
    if (!values) return undefined;
    const all: T[] = [];
    await eachInTurns(values, (value, index) => {
      const found = read(value, `${this.at(name)}[${index}]`);
      if (found !== undefined) all.push(found);
    });
    return all;
  }

  #array(name: string): readonly unknown[] | undefined {
    const value = this.raw(name) ?? undefined;
    if (value === undefined || Array.isArray(value)) return value;
    this.issues.add('An array is expected.', this.at(name));
    return undefined;
  }
}

function readReference(issues: Issues, value: unknown, path: string): Reference | undefined {
  const found = formOf(value);
  if (found) return { [found.form]: found.text };
  issues.add('A reference with exactly one of id, codename, external_id is expected.', path);
  return undefined;
}

/**
 * Runs an operation on values from a body. If reading them had issues, it throws them with those of the operation, and
 * the transaction around it is rolled back.
 */
export async function withIssues<T>(issues: Issues, work: () => Promise<T>): Promise<T> {
  if (!issues.any) return work();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    for (const { message, path } of error.validationErrors ?? []) {
      if (path === undefined || !issues.has(path)) issues.add(message, path);
    }
  }
  issues.refuse();
  throw new Error('The issues were not thrown.');
}
