import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type TaskName, type Tasks, WorkerError } from '../contract.ts';
import type { RunTask, TaskOptions } from '../protocol/serve-requests.ts';
import type { HostOptions } from './host-options.ts';
import type { ThreadAnswer, ThreadTask } from './pool-thread.ts';
import { wholeBuffers } from './whole-buffers.ts';

/** Requests wait here only until the result of the one before is delivered. */
const WAITING_PER_TASK = 2;
/**
 * Opens one thread that runs all tasks of a host, `concurrency` at a time. Tasks enforce their deadline themselves:
 * aborting one here would end the thread with all its tasks and take 0.6 s. The client ends the host of a task that
 * does not end.
 */
export function openTaskPool({ concurrency, limits }: HostOptions): RunTask {
  const pool = new Piscina<ThreadTask, ThreadAnswer>({
    filename: fileURLToPath(new URL('pool-thread.js', import.meta.url)),
    name: 'runTask',
    minThreads: 1,
    maxThreads: 1,
    // Native threads decode images, so one JavaScript thread can run several tasks.
    concurrentTasksPerWorker: concurrency,
    maxQueue: concurrency * WAITING_PER_TASK,
    // A thread that sleeps in Atomics would not free the memory of finished tasks.
    atomics: 'disabled',
    recordTiming: false,
    workerData: limits,
  });
  return async function run<Name extends TaskName>(
    task: Name,
    input: Tasks[Name]['input'],
    { milliseconds, sharesSource = false }: TaskOptions,
  ): Promise<Tasks[Name]['output']> {
    const answer = await pool.run(
      { task, input, milliseconds, sharesSource },
      { transferList: wholeBuffers(input) },
    );
    if ('failure' in answer) throw new WorkerError(answer.failure, answer.message);
    return answer.output as Tasks[Name]['output'];
  };
}
