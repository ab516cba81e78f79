import type { TaskLimits } from '../tasks/task.ts';

/** What a host is told on its command line, as JSON. */
export interface HostOptions {
  /** Tasks it does at once. */
  readonly slots: number;
  readonly limits: TaskLimits;
}

/** The descriptor of the socket to the process that started it. */
export const PARENT_SOCKET = 3;
