/** Whether tests take their long form (test/README.md). */
export const isLongForm = process.env['HEADWATER_TEST_LONG'] === '1';
