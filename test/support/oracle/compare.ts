/**
 * Lists where an answer differs from what was expected, as `path: expected … got …`; empty when it does not.
 * Keys of maps may have any order, those of `elements` in the order of the type.
 */
import type { Expected } from './answer.ts';
import { decodePairs } from './query.ts';
import type { Pairs } from './urls.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** @param self URL of the request without its query */
export function differences(expected: Expected, answer: Answer, self: string): string[] {
  const found: string[] = [];
  compare('status', expected.status, answer.status, found);
  if (expected.errorCode !== undefined)
    return [...found, ...errorDifferences(expected.errorCode, answer.body)];
  const { body, next } = takeNext(answer.body);
  if (expected.next !== undefined) found.push(...nextDifferences(expected.next, next, self));
  compare('body', expected.body, body, found);
  return found;
}

function errorDifferences(code: number, body: unknown): string[] {
  const found: string[] = [];
  const { message, request_id, ...codes } = body as Record<string, unknown>;
  compare('body', { error_code: code, specific_code: 0 }, codes, found);
  if (typeof message !== 'string' || message === '') found.push('body.message: expected a text');
  if (typeof request_id !== 'string' || request_id === '') found.push('body.request_id: expected a text');
  return found;
}

function takeNext(body: unknown): { body: unknown; next: unknown } {
  const { pagination } = (body ?? {}) as { pagination?: { next_page?: unknown } };
  if (!pagination) return { body, next: undefined };
  const { next_page: next, ...rest } = pagination;
  return { body: { ...(body as object), pagination: rest }, next };
}

function nextDifferences(expected: Pairs | null, next: unknown, self: string): string[] {
  if (expected === null) return next === '' ? [] : [`next_page: expected "" got ${show(next)}`];
  if (typeof next !== 'string') return [`next_page: expected a text got ${show(next)}`];
  const at = next.indexOf('?');
  const found: string[] = [];
  compare('next_page', self, next.slice(0, at), found);
  const query = next.slice(at + 1);
  compare('next_page', expected, decodePairs(query), found);
  if (/[[\], ]|%[0-9]?[A-F]/.test(query))
    found.push(`next_page: reserved characters in lower-case hex, got ${query}`);
  return found;
}

function compare(path: string, expected: unknown, got: unknown, found: string[]): void {
  if (found.length >= 10) return;
  if (typeof expected !== 'object' || expected === null || typeof got !== 'object' || got === null) {
    if (!Object.is(expected, got)) found.push(`${path}: expected ${show(expected)} got ${show(got)}`);
    return;
  }
  if (Array.isArray(expected) !== Array.isArray(got)) {
    found.push(`${path}: expected ${show(expected)} got ${show(got)}`);
    return;
  }
  if (Array.isArray(expected) && Array.isArray(got) && expected.length !== got.length) {
    found.push(`${path}: expected ${names(expected)} got ${names(got)}`);
    return;
  }
  const [wanted, given] = [Object.keys(expected), Object.keys(got)];
  for (const key of wanted) if (!given.includes(key)) found.push(`${path}.${key}: missing`);
  for (const key of given) if (!wanted.includes(key)) found.push(`${path}.${key}: not expected`);
  if (path.endsWith('.elements') && wanted.join() !== given.join())
    found.push(`${path}: expected the order ${wanted.join()} got ${given.join()}`);
  for (const key of wanted.filter((name) => given.includes(name))) {
    compare(
      `${path}.${key}`,
      (expected as Record<string, unknown>)[key],
      (got as Record<string, unknown>)[key],
      found,
    );
  }
}

/** Items by codename, so that a listing that differs can be read. */
function names(list: readonly unknown[]): string {
  return show(list.map((one) => (one as { system?: { codename?: string } } | null)?.system?.codename ?? one));
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
