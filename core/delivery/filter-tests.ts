import { numberKey, textKey } from '../storage/index-key.ts';
import type { KeyTest } from '../storage/page-plan.ts';
import { mergeTests } from './merge-tests.ts';
import { isOf, type Operator, type OperatorOf } from './operators.ts';
import type { Filter } from './parse-query.ts';

/**
 * The tests of an attribute that has at most one value.
 * @param keyOf undefined for a value that no value of the kind can equal or be compared with
 */
export function mergedTests(
  filters: readonly Filter[],
  keyOf: (value: string) => string | undefined,
): KeyTest[] | null {
  const tests: KeyTest[] = [];
  for (const { operator, values } of filters) {
    if (isOf('either', operator)) continue;
    if (isOf('list', operator)) return null;
    const keys = values.flatMap((value) => keyOf(value) ?? []);
    const test = simpleTest(operator, keys, keys.length === values.length);
    if (!test) return null;
    tests.push(test);
  }
  return mergeTests(tests);
}

/** @param complete each value of the filter has its key; null: nothing passes */
function simpleTest(
  operator: OperatorOf<'value'>,
  keys: readonly string[],
  complete: boolean,
): KeyTest | null {
  if (operator === 'neq' || operator === 'nin') return { kind: 'none-of', keys };
  if (operator === 'in') return { kind: 'one-of', keys };
  if (!complete) return null;
  const [first = '', second = ''] = keys;
  switch (operator) {
    case 'eq':
      return { kind: 'one-of', keys };
    case 'lt':
    case 'lte':
      return { kind: 'range', to: { key: first, inclusive: operator === 'lte' } };
    case 'gt':
    case 'gte':
      return { kind: 'range', from: { key: first, inclusive: operator === 'gte' } };
    case 'range':
      return { kind: 'range', from: { key: first, inclusive: true }, to: { key: second, inclusive: true } };
  }
}

/** Whether an attribute with no value passes. */
export const PASSES_EMPTY: Readonly<Record<OperatorOf<'either'>, boolean>> = { empty: true, nempty: false };

/** The tests of an attribute that every item has: it is never empty. */
export function simpleTests(operator: Operator, values: readonly string[]): KeyTest[] | null {
  if (isOf('list', operator)) return null;
  if (isOf('either', operator)) return PASSES_EMPTY[operator] ? null : [];
  const test = simpleTest(operator, values.map(textKey), true);
  return test && mergeTests([test]);
}

export function numericKey(text: string): string | undefined {
  const number = parseNumber(text);
  return number === undefined ? undefined : numberKey(number);
}

function parseNumber(text: string): number | undefined {
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : undefined;
}
