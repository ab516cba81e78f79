#!/usr/bin/env node
/**
 * The bin. CommonJS, because loading an ES module as the entry starts libuv's thread pool, whose size can no longer
 * be set then. SQLite reads, file reads, TLS and compression share the pool; Node's default is 4 threads. Each read
 * connection that runs a statement uses a thread; there are 14 (core/storage/read-pools.ts), and the writer,
 * files, DNS and compression must not wait for them.
 */
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { isatty } = require('node:tty');
const { lowerPool } = require('./pool-priority.cjs');
const { isTuned, launched, relaunch } = require('./relaunch.cjs');

const STANDARD_INPUT = 0;

process.env.UV_THREADPOOL_SIZE = process.env.UV_THREADPOOL_SIZE || '24';
// A service manager may ask for a reload before there is a service: its start reads the configuration anyway. From a
// terminal the signal means that it was closed.
if (process.argv[2] === 'serve' && !isatty(STANDARD_INPUT)) process.on('SIGHUP', () => {});
// Not in a process that only starts the service.
if (process.argv[2] === 'serve' && isTuned) lowerPool();

async function start() {
  const { scripts } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'));
  // Scripts of package.json run prepare.mjs first.
  const prepared = `pre${process.env.npm_lifecycle_event}` in scripts;
  if (!prepared && !launched) {
    const { prepare } = await import('./prepare.mjs');
    if (!(await prepare())) return 1;
  }
  if (process.argv[2] === 'serve') {
    const code = await relaunch();
    if (code !== undefined) return code;
    const { warnOfFormerPackages } = await import('./prepare.mjs');
    warnOfFormerPackages();
  }
  const { main } = await import('../../.build/bundle/main.js');
  return main(process.argv.slice(2));
}

start().then(
  (code) => {
    process.exitCode = code;
    // An open handle must not keep the process running.
    setTimeout(() => process.exit(code), 2000).unref();
  },
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
