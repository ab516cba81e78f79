/** Preloaded into a service: at its end it writes the CommonJS modules that it loaded, one a line. */
'use strict';
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  if (process.argv[2] !== 'serve') return;
  writeFileSync(`${process.env.LIST_MODULES_IN}.${process.pid}`, Object.keys(require.cache).join('\n'));
});
