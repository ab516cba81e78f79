import { readFileSync } from 'node:fs';

/** Linux tells CPU time in ticks of 10 ms. */
const TICK_MS = 10;

/** CPU time of a process, user and system, all threads, in milliseconds. */
export function cpuMilliseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
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
