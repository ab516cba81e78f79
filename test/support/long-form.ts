/** Whether tests take their long form (test/README.md). */
export const isLongForm = process.env['HEADWATER_TEST_LONG'] === '1';

/** A test of the long form alone: one beside it has the subject in `npm test` (test/README.md). */
export function longTest(title: string, run: Mocha.Func | Mocha.AsyncFunc): void {
  if (isLongForm) it(title, run);
}
