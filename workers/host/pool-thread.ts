/** Entry point of a pool thread: loads the task, runs it, and transfers the bytes of its result. */
import { workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { TaskName, Tasks, WorkerFailure } from '../contract.ts';
import { asWorkerError } from '../protocol/serve-requests.ts';
import type { TaskFunction, TaskLimits } from '../tasks/task.ts';
import { TASKS } from '../tasks/task-list.ts';
import { wholeBuffers } from './whole-buffers.ts';

export interface ThreadTask {
  readonly task: TaskName;
  readonly input: unknown;
  readonly milliseconds: number;
  readonly sharesSource: boolean;
}

/** Errors lose their class between threads, so they travel as plain records. */
export type ThreadAnswer =
  | { readonly output: Tasks[TaskName]['output'] }
  | { readonly failure: WorkerFailure; readonly message: string };

/** The limits of the host, as the pool passes them. */
const limits = workerData as TaskLimits;
const loaded = new Map<TaskName, Promise<TaskFunction<TaskName>>>();

export async function runTask({ task, input, milliseconds, sharesSource }: ThreadTask): Promise<unknown> {
  try {
    const run = await functionOf(task);
    return moved({ output: await run(input as never, { milliseconds, sharesSource, limits }) });
  } catch (error) {
    const { failure, message } = asWorkerError(error);
    return { failure, message };
  }
}

function functionOf(task: TaskName): Promise<TaskFunction<TaskName>> {
  let found = loaded.get(task);
  if (found === undefined) {
    found = TASKS[task].load() as Promise<TaskFunction<TaskName>>;
    found.catch(() => loaded.delete(task));
    loaded.set(task, found);
  }
  return found;
}

/** The form in which piscina accepts a value with a transfer list. */
function moved(answer: ThreadAnswer): unknown {
  return move({ [transferableSymbol]: wholeBuffers(answer), [valueSymbol]: answer });
}
