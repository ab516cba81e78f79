const form = process.env['HEADWATER_TEST_LONG'];

/** Whether tests take their long form (test/README.md). */
export const isLongForm = form === '1';

/** Whether tests of the long form alone run as well: `tests` runs them in the sizes of the short form. */
export const hasAllTests = isLongForm || form === 'tests';

/** A test of the long form alone: one beside it has the subject in `npm test` (test/README.md). */
export function longTest(title: string, run: Mocha.Func | Mocha.AsyncFunc): Mocha.Test | undefined {
  return hasAllTests ? it(title, run) : undefined;
}
