import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type TaskName, type Tasks, WorkerError } from '../contract.ts';
import type { RunTask } from '../protocol/serve-requests.ts';
import type { HostOptions } from './host-options.ts';
import type { ThreadAnswer, ThreadJob } from './pool-thread.ts';
import { wholeBuffers } from './whole-buffers.ts';

/** A request waits in the pool only for as long as the one before it takes to be told. */
const WAITING_PER_SLOT = 2;
/**
 * One thread that does all tasks of a host, `slots` of them at once. Tasks keep their deadline themselves: to abort
 * one here would end the thread, the tasks beside it included, and take 0.6 s. A task that does not end is ended
 * with its host, by the one that waits for it.
 */
export function openTaskPool({ slots, limits }: HostOptions): RunTask {
  const pool = new Piscina<ThreadJob, ThreadAnswer>({
    filename: fileURLToPath(new URL('pool-thread.js', import.meta.url)),
    name: 'runJob',
    minThreads: 1,
    maxThreads: 1,
    // Pictures are decoded by native threads: one thread of JavaScript has time for several.
    concurrentTasksPerWorker: slots,
    maxQueue: slots * WAITING_PER_SLOT,
    // A thread that sleeps between tasks would not free the memory of those that are done.
    atomics: 'disabled',
    recordTiming: false,
    workerData: limits,
  });
  return async function run<Name extends TaskName>(
    task: Name,
    input: Tasks[Name]['input'],
    milliseconds: number,
  ): Promise<Tasks[Name]['output']> {
    const answer = await pool.run({ task, input, milliseconds }, { transferList: wholeBuffers(input) });
    if ('failure' in answer) throw new WorkerError(answer.failure, answer.message);
    return answer.output as Tasks[Name]['output'];
  };
}
