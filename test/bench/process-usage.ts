import { readdirSync, readFileSync } from 'node:fs';

const NANOSECONDS = 1_000_000;

/**
 * CPU time of a process, user and system, of all threads that it has now, in milliseconds. The scheduler counts
 * nanoseconds for each thread; the sum in `/proc/PID/stat` has steps of 10 ms, some percent of a short turn.
 */
export function cpuMilliseconds(pid: number): number {
  const threads = `/proc/${pid}/task`;
  return (
    readdirSync(threads).reduce((sum, thread) => sum + threadNanoseconds(threads, thread), 0) / NANOSECONDS
  );
}

/** The same of a process and of all that it started and that still run. */
export function cpuOfTree(pid: number): number {
  const threads = `/proc/${pid}/task`;
  const children = readdirSync(threads).flatMap((thread) =>
    readOfThread(`${threads}/${thread}/children`).split(' ').filter(Boolean),
  );
  return children.reduce((sum, child) => sum + cpuOfTree(Number(child)), cpuMilliseconds(pid));
}

/** Processes that its first thread started and that still run. */
export function childrenOf(pid: number): number[] {
  return readOfThread(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function threadNanoseconds(threads: string, thread: string): number {
  return Number(readOfThread(`${threads}/${thread}/schedstat`).split(' ')[0]);
}

/** A thread may end between the listing and the read: then an empty text. */
function readOfThread(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return '';
    throw error;
  }
}

export interface Memory {
  /** Resident, in bytes: of its own (`anonymous`), and with mapped files (`total`). */
  readonly total: number;
  readonly anonymous: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { total: bytes('VmRSS'), anonymous: bytes('RssAnon') };
}
