import { existsSync, openSync, readSync } from 'node:fs';

const FILE = `/proc/self/task/${process.pid}/schedstat`;
const buffer = Buffer.alloc(64);
const file = existsSync(FILE) ? openSync(FILE, 'r') : undefined;

/**
 * CPU time of the main thread so far, in milliseconds: what other processes and other threads of this one do is not
 * in it. To be called on the main thread. Where Linux is not, it is that of the whole process.
 *
 * @returns {number}
 */
export function mainThreadCpu() {
  // Asking for the times of the process makes Linux bring those of the running thread up to date, which are
  // otherwise as old as the last tick of the scheduler (4 ms).
  const { user, system } = process.cpuUsage();
  if (file === undefined) return (user + system) / 1000;
  const length = readSync(file, buffer, 0, buffer.length, 0);
  const text = buffer.toString('latin1', 0, length);
  return Number(text.slice(0, text.indexOf(' '))) / 1e6;
}
