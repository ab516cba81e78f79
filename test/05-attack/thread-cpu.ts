import { readdirSync, readFileSync } from 'node:fs';

/** CPU time that all threads of a process have used, in milliseconds; finer than the ticks of `/proc/<pid>/stat`. */
export function threadsCpu(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + cpuOf(pid, thread), 0) / 1e6;
}

function cpuOf(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
  } catch (error) {
    // The thread has ended since the folder was read.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}
