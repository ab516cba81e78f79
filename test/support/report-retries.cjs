// Mocha's reporter `spec`; at its end, what was left out, and each test that passed only when it was run again, with its first error.
// Loaded by mocha itself, before tsx: CommonJS.
const { reporters, Runner } = require('mocha');

module.exports = class ReportRetries extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const retries = [];
    runner.on(Runner.constants.EVENT_TEST_RETRY, (test, error) => {
      retries.push(`${test.fullTitle()}\n    ${error?.message ?? error}`);
    });
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      if (!['1', 'tests'].includes(process.env.HEADWATER_TEST_LONG))
        console.log('  Without the tests and the sizes of the long form: npm run test:long.\n');
      if (retries.length > 0)
        console.log(`  FAILED ONCE, and were run again:\n\n  ${retries.join('\n  ')}\n`);
    });
  }
};
