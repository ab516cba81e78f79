#!/usr/bin/env node
/**
 * The bin. CommonJS on purpose: loading an ES module as the entry starts libuv's thread pool, and its size can
 * no longer be set then. SQLite reads, file reads, TLS and compression share this pool; Node's own default is 4.
 * Each read connection that runs a statement holds a thread; there are 14 (core/storage/sqlite/read-pools.ts), and
 * the writer, files, DNS and compression must not wait for them.
 */
'use strict';
const { enableCompileCache } = require('node:module');
const { lowerPool } = require('./pool-priority.cjs');
const { isTuned, launched, relaunch } = require('./relaunch.cjs');

process.env.UV_THREADPOOL_SIZE = process.env.UV_THREADPOOL_SIZE || '24';
// Not in a process that only starts the service: it does no work.
if (process.argv[2] === 'serve' && isTuned) lowerPool();
// Node 22 and newer keep compiled code between starts.
if (enableCompileCache) enableCompileCache();

async function start() {
  // These scripts have prepared already.
  const prepared = ['start', 'test', 'test:long', 'bench', 'check'].includes(process.env.npm_lifecycle_event);
  if (!prepared && !launched) {
    const { prepare } = await import('./prepare.mjs');
    if (!(await prepare())) return 1;
  }
  if (process.argv[2] === 'serve') {
    const code = await relaunch();
    if (code !== undefined) return code;
  }
  const { main } = await import('../../.build/gateway/cli/main.js');
  return main(process.argv.slice(2));
}

start().then(
  (code) => {
    process.exitCode = code;
    // Nothing should be open any more; if something is, it must not keep the process from leaving.
    setTimeout(() => process.exit(code), 2000).unref();
  },
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
