/**
 * Runs the service with an allocator that keeps its memory.
 *
 * glibc gives the top of a heap back after every large result and faults it in again for the next one: reading
 * a page of 780 KB took 2.6 ms of CPU that way, 0.6 ms with these settings (100 documents and what they link
 * to). They are only read when a process starts, so the service is started once more with them: in place where
 * Node can (22.15 and newer), else as a child that shares its fate with this process. A process manager that
 * sets them itself (`config/`) spares this step.
 */
'use strict';
const { spawn } = require('node:child_process');

const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_TRIM_THRESHOLD_: '33554432',
  // Each arena may keep that much; two are enough for the threads that read.
  MALLOC_ARENA_MAX: '2',
};

/** This process is the service; the one before it has prepared everything. */
const launched = process.send !== undefined && process.env.MALLOC_MMAP_THRESHOLD_ !== undefined;
if (launched) {
  // Whoever started us is gone, however it went: nobody would stop us.
  process.on('disconnect', () => process.exit(1));
  process.channel.unref();
}

/** The allocator has its settings: this process will not be replaced by another one. */
const isTuned = Object.keys(ALLOCATOR).every((name) => name in process.env);

/** The exit code of the service, or undefined when this process is the one to run it. */
function relaunch() {
  if (process.platform !== 'linux' || isTuned) return Promise.resolve(undefined);
  // What the environment says stands: images often set one of them.
  const env = { ...ALLOCATOR, ...process.env };
  const words = [...process.execArgv, ...process.argv.slice(1)];
  if (process.execve) process.execve(process.execPath, [process.execPath, ...words], env);
  // In a group of its own: Ctrl-C comes here, and is passed on once.
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
