import { VALUE_FLOOR } from '../storage/index-key.ts';
import type { KeyTest } from '../storage/page-plan.ts';

type RangeTest = Extract<KeyTest, { kind: 'range' }>;
type Bound = NonNullable<RangeTest['from']>;

/**
 * Merges tests of an attribute that has at most one value: into one list or one range, and one list of excluded
 * values. Each test is an index lookup on every candidate: 200 × `[neq]` with the total among 15,000 items took 19 s of
 * CPU. Null: no value passes them all.
 */
export function mergeTests(tests: readonly KeyTest[]): KeyTest[] | null {
  let listed: ReadonlySet<string> | undefined;
  let range: RangeTest | undefined;
  const excluded = new Set<string>();
  for (const test of tests) {
    if (test.kind === 'none-of') for (const key of test.keys) excluded.add(key);
    else if (test.kind === 'range') range = range ? tightest(range, test) : test;
    else listed = new Set(listed ? test.keys.filter((key) => listed?.has(key)) : test.keys);
  }
  if (listed) {
    const keys = [...listed].filter((key) => !excluded.has(key) && (!range || isWithin(key, range)));
    return keys.length === 0 ? null : [{ kind: 'one-of', keys }];
  }
  if (range && isNothing(range)) return null;
  return [
    ...(range ? [range] : []),
    ...(excluded.size > 0 ? [{ kind: 'none-of', keys: [...excluded] } as const] : []),
  ];
}

/** Whether a key passes tests that were merged. */
export function passesAll(key: string, tests: readonly KeyTest[]): boolean {
  return tests.every((test) => {
    if (test.kind === 'range') return isWithin(key, test);
    return test.keys.includes(key) === (test.kind === 'one-of');
  });
}

function tightest(a: RangeTest, b: RangeTest): RangeTest {
  const from = stricter(a.from, b.from, 1);
  const to = stricter(a.to, b.to, -1);
  return { kind: 'range', ...(from && { from }), ...(to && { to }) };
}

/** @param sign 1: the greater bound is the stricter one; -1: the lesser */
function stricter(a: Bound | undefined, b: Bound | undefined, sign: 1 | -1): Bound | undefined {
  if (!a || !b) return a ?? b;
  const order = compareKeys(a.key, b.key) * sign;
  if (order === 0) return a.inclusive ? b : a;
  return order > 0 ? a : b;
}

function isNothing({ from, to }: RangeTest): boolean {
  if (!to) return false;
  if (!from) return compareKeys(to.key, VALUE_FLOOR) < (to.inclusive ? 0 : 1);
  const order = compareKeys(from.key, to.key);
  return order > 0 || (order === 0 && !(from.inclusive && to.inclusive));
}

function isWithin(key: string, { from, to }: RangeTest): boolean {
  const above = from ? compareKeys(key, from.key) : compareKeys(key, VALUE_FLOOR) + 1;
  const below = to ? compareKeys(key, to.key) : -1;
  return (
    (above > 0 || (above === 0 && from?.inclusive === true)) &&
    (below < 0 || (below === 0 && to?.inclusive === true))
  );
}

/** The database orders keys by their bytes, so beyond U+FFFF after everything; UTF-16 units do not. */
function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const one = a.charCodeAt(at);
    const other = b.charCodeAt(at);
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
