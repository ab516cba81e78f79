import { ServiceError, type ValidationIssue } from '../../errors.ts';
import { invalidBody } from '../../json-body/parse-body.ts';
import type { Reference } from '../../model/inputs.ts';
import { Issues } from '../../model/issues.ts';
import { formOf } from '../../model/reference.ts';
import { isTurnLong, nextTurn } from '../../turns/turn.ts';
import { Fields } from '../fields.ts';

/** One operation of a PATCH body. */
export interface PatchOperation {
  readonly index: number;
  /** `addinto`, `move`, `remove`, `replace`, `rename`: in lower case, because clients differ. */
  readonly op: string;
  readonly fields: Fields;
}

const OPERATION_LIMIT = 5000;
const ISSUE_LIMIT = 100;

/** @throws invalidBody */
export function readOperations(body: readonly unknown[]): PatchOperation[] {
  const issues = new Issues();
  if (body.length > OPERATION_LIMIT) issues.add(`A body can hold at most ${OPERATION_LIMIT} operations.`);
  issues.refuse();
  return body.map((value, index) => {
    const fields = new Fields(new Issues(), value, `[${index}]`);
    return { index, op: (fields.text('op') ?? '').toLowerCase(), fields };
  });
}

/** @throws invalidBody naming the operation */
export function refuseOperation({ index }: PatchOperation, message: string, field?: string): never {
  throw invalidBody([operationIssue(index, message, field)]);
}

function operationIssue(index: number, message: string, field?: string): ValidationIssue {
  return {
    message: `Invalid operation with index '${index}': ${message}`,
    path: field === undefined ? `[${index}]` : `[${index}].${field}`,
  };
}

export function unknownOperation(operation: PatchOperation, known: string): never {
  if (operation.fields.raw('op') === undefined)
    refuseOperation(operation, `The property 'op' is missing; the operations are ${known}.`);
  return refuseOperation(operation, `The operations are ${known}.`, 'op');
}

export const NOT_FOUND = 'The referenced object was not found.';

/**
 * Inserts `value` into a list before or after the named member, else at the end.
 * @param matches whether a reference names the member
 */
export function insertInto<T>(
  operation: PatchOperation,
  list: T[],
  value: T,
  matches: (one: T, reference: Reference) => boolean,
): void {
  for (const side of ['before', 'after'] as const) {
    const given = operation.fields.raw(side);
    if (given === undefined || given === null) continue;
    const found = formOf(given);
    const at = found ? list.findIndex((one) => matches(one, { [found.form]: found.text })) : -1;
    if (at < 0) refuseOperation(operation, NOT_FOUND, side);
    list.splice(side === 'before' ? at : at + 1, 0, value);
    return;
  }
  list.push(value);
}

/** Moves a member of a list before or after the named one. */
export function moveWithin<T>(
  operation: PatchOperation,
  list: T[],
  member: T,
  matches: (one: T, reference: Reference) => boolean,
): void {
  if (['before', 'after'].every((side) => (operation.fields.raw(side) ?? null) === null))
    refuseOperation(operation, "A move needs 'before' or 'after'.");
  const others = list.filter((one) => one !== member);
  insertInto(operation, others, member, matches);
  list.splice(0, list.length, ...others);
}

/**
 * Applies the operations in order. A refused operation does not stop the next ones, so that one answer has all
 * issues.
 * @throws invalidBody with the issues of every operation
 */
export async function applyAll(
  operations: readonly PatchOperation[],
  apply: (operation: PatchOperation) => void | Promise<void>,
): Promise<void> {
  const issues: ValidationIssue[] = [];
  for (const operation of operations) {
    if (isTurnLong()) await nextTurn();
    // More issues do not help a client.
    if (issues.length >= ISSUE_LIMIT) break;
    try {
      await apply(operation);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.errorName !== 'invalidBody') throw error;
      issues.push(...(error.validationErrors ?? []));
    }
  }
  if (issues.length > 0) throw invalidBody(issues);
}

/**
 * Runs `work` and reports its issues as issues of the PATCH operations.
 * @param operationOf index of the operation that set the value at a path
 */
export async function asOperations<T>(
  work: () => Promise<T>,
  operationOf: (path: string | undefined) => number | undefined,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.errorName === 'domainRule') {
      const index = operationOf(undefined);
      throw index === undefined ? error : invalidBody([operationIssue(index, error.message)], error);
    }
    if (error.errorName !== 'invalidBody') throw error;
    const issues = (error.validationErrors ?? []).map(({ message, path }) => {
      const index = operationOf(path);
      return index === undefined ? { message } : operationIssue(index, message);
    });
    throw invalidBody(issues, error);
  }
}
