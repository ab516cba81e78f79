import type { TaskName, Tasks } from '../contract.ts';
import type { ImageLimits } from '../images/limits.ts';

/** Limits that a host gets at its start. */
export interface TaskLimits {
  readonly image: ImageLimits;
}

export interface TaskContext {
  /** Time left until the caller's deadline. */
  readonly milliseconds: number;
  readonly limits: TaskLimits;
}

export type TaskFunction<Name extends TaskName> = (
  input: Tasks[Name]['input'],
  context: TaskContext,
) => Promise<Tasks[Name]['output']> | Tasks[Name]['output'];
