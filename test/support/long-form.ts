/** Whether tests take their long form (test/README.md). */
export const isLongForm = Boolean(process.env['HEADWATER_TEST_LONG']);
