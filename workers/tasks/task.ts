import type { TaskName, Tasks } from '../contract.ts';
import type { ImageLimits } from '../images/limits.ts';

/** What a host is told when it starts. */
export interface TaskLimits {
  readonly image: ImageLimits;
}

export interface TaskContext {
  /** Until nobody wants the result any more. */
  readonly milliseconds: number;
  readonly limits: TaskLimits;
}

export type TaskFunction<Name extends TaskName> = (
  input: Tasks[Name]['input'],
  context: TaskContext,
) => Promise<Tasks[Name]['output']> | Tasks[Name]['output'];
