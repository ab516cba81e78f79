/** Preloaded into a service: at its end it writes the modules that it loaded, CommonJS and others, one a line. */
'use strict';
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

process.on('exit', () => {
  if (process.argv[2] !== 'serve') return;
  const loaded = Object.keys(require.cache);
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params }) => loaded.push(params.url));
  session.post('Debugger.enable');
  writeFileSync(`${process.env.LIST_MODULES_IN}.${process.pid}`, loaded.join('\n'));
});
