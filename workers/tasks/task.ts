import type { TaskName, Tasks } from '../contract.ts';
import type { ImageLimits } from '../images/limits.ts';

/** Limits that a host gets at its start. */
export interface TaskLimits {
  readonly image: ImageLimits;
}

export interface TaskContext {
  /** Time left until the caller's deadline. */
  readonly milliseconds: number;
  /** Other tasks that read the same source run in this host or will. */
  readonly sharesSource: boolean;
  readonly limits: TaskLimits;
}

export type TaskFunction<Name extends TaskName> = (
  input: Tasks[Name]['input'],
  context: TaskContext,
) => Promise<Tasks[Name]['output']> | Tasks[Name]['output'];
