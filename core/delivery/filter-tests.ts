import { numberKey, textKey } from '../storage/index-key.ts';
import type { KeyTest } from '../storage/page-plan.ts';
import { mergeTests } from './merge-tests.ts';
import type { Filter, Operator } from './parse-query.ts';

/** Operators for attributes that have several values. */
export const ARRAY_OPERATORS: ReadonlySet<Operator> = new Set<Operator>(['contains', 'any', 'all']);
/** Operators for attributes of either kind. */
export const BOTH: ReadonlySet<Operator> = new Set<Operator>(['empty', 'nempty']);

/**
 * The tests that simple values are held against.
 * @param keyOf undefined for a value that no value of the kind can equal or be compared with
 */
export function mergedTests(
  filters: readonly Filter[],
  keyOf: (value: string) => string | undefined,
): KeyTest[] | null {
  const tests: KeyTest[] = [];
  for (const { operator, values } of filters) {
    if (BOTH.has(operator)) continue;
    if (ARRAY_OPERATORS.has(operator)) return null;
    const keys = values.flatMap((value) => keyOf(value) ?? []);
    const test = simpleTest(operator, keys, keys.length === values.length);
    if (!test) return null;
    tests.push(test);
  }
  return mergeTests(tests);
}

/** @param complete each value of the filter has its key; null: nothing passes */
function simpleTest(operator: Operator, keys: readonly string[], complete: boolean): KeyTest | null {
  const [first = '', second = ''] = keys;
  switch (operator) {
    case 'neq':
    case 'nin':
      return { kind: 'none-of', keys };
    case 'in':
      return { kind: 'one-of', keys };
    default:
      if (!complete) return null;
  }
  switch (operator) {
    case 'lt':
    case 'lte':
      return { kind: 'range', to: { key: first, inclusive: operator === 'lte' } };
    case 'gt':
    case 'gte':
      return { kind: 'range', from: { key: first, inclusive: operator === 'gte' } };
    case 'range':
      return {
        kind: 'range',
        from: { key: first, inclusive: true },
        to: { key: second, inclusive: true },
      };
    default:
      return { kind: 'one-of', keys };
  }
}

/** As one test of a value at hand: an attribute that every item has is never empty. */
export function simpleTests(operator: Operator, values: readonly string[]): KeyTest[] | null {
  if (operator === 'empty' || ARRAY_OPERATORS.has(operator)) return null;
  if (operator === 'nempty') return [];
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
