import { isLongForm } from '../long-form.ts';

/** The short forms try the same cases in every run, so that a run fails only for a change. */
const SHORT_FORM = 2026;

/** `17`, or `17-40`. */
const [given, last = given] = process.env['HEADWATER_TEST_SEED']?.split('-') ?? [];

/** The seed of a randomised test: `HEADWATER_TEST_SEED`, else a fixed one, in the long form a random one. */
export function testSeed(): number {
  if (given) return Number(given);
  return isLongForm ? Math.floor(Math.random() * 2 ** 30) : SHORT_FORM;
}

/** Seeds of `count` cases, `known` among them; those of `HEADWATER_TEST_SEED` if it is set. */
export function testSeeds(count: number, known: readonly number[] = []): number[] {
  const first = testSeed();
  if (given) return Array.from({ length: Number(last) - first + 1 }, (_, index) => first + index);
  return [...known, ...Array.from({ length: count - known.length }, (_, index) => first + index)];
}
