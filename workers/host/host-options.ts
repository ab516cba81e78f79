import type { TaskLimits } from '../tasks/task.ts';

/** Options of a host, passed on its command line as JSON. */
export interface HostOptions {
  /** Tasks it runs at a time. */
  readonly concurrency: number;
  readonly limits: TaskLimits;
}

/** Descriptor of the socket to the parent process. */
export const PARENT_SOCKET = 3;
