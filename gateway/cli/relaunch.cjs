/**
 * Runs the service with an allocator that keeps its memory.
 *
 * By default glibc returns the top of a heap to the system after every large result and faults it in again for the
 * next one: a page of 780 KB (100 documents and the items they link to) took 2.6 ms of CPU, against 0.6 ms with these
 * settings. glibc reads them when a process starts, so the service starts once more with them: in place where Node can
 * (22.15 and newer), else as a child that ends with this process. A process manager that sets them itself (`config/`)
 * makes this unnecessary.
 */
'use strict';
const { spawn } = require('node:child_process');

/** A gateway handles no results of a database, and V8 leaves 36 MB behind when it has compiled undici's HTTP parser. */
const isGateway = process.env.HEADWATER_ROLE === 'gateway';

const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_TRIM_THRESHOLD_: isGateway ? '8388608' : '33554432',
  // Each arena may keep that much; two are enough for the reading threads.
  MALLOC_ARENA_MAX: '2',
};

/** This process is the child that runs the service; its parent has prepared everything. */
const launched = process.send !== undefined && process.env.MALLOC_MMAP_THRESHOLD_ !== undefined;
if (launched) {
  // The parent has ended, so no signal would reach this process any more.
  process.on('disconnect', () => process.exit(1));
  process.channel.unref();
}

/** The allocator has its settings: no relaunch is needed. */
const isTuned = Object.keys(ALLOCATOR).every((name) => name in process.env);

/** The exit code of the service; undefined where this process has to run it. */
function relaunch() {
  if (process.platform !== 'linux' || isTuned) return Promise.resolve(undefined);
  // The environment wins: container images often set one of them.
  const env = { ...ALLOCATOR, ...process.env };
  const words = [...process.execArgv, ...process.argv.slice(1)];
  if (process.execve) process.execve(process.execPath, [process.execPath, ...words], env);
  // In its own process group, so that Ctrl-C reaches only this process, which passes it on once.
  const child = spawn(process.execPath, words, {
    env,
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'])
    process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

module.exports = { isTuned, launched, relaunch };
