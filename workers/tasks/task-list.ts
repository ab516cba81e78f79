/** The table of all tasks; importing it loads none of them. */

import type { TaskName, Tasks } from '../contract.ts';
import { bytesOfSource } from '../images/bytes-of-source.ts';
import type { TaskFunction } from './task.ts';

/** Tasks of one queue never wait for tasks of another. */
export const QUEUES = ['images', 'batches'] as const;
export type QueueName = (typeof QUEUES)[number];

interface TaskEntry<Name extends TaskName> {
  readonly queue: QueueName;
  /** Called in a host's thread for the first of these tasks. */
  load(): Promise<TaskFunction<Name>>;
  /** Makes an input independent of files of this machine; absent = it already is. */
  makePortable?(input: Tasks[Name]['input']): Promise<Tasks[Name]['input']>;
  /** Whether an input is independent of files; checked on network input. */
  isPortable?(input: Tasks[Name]['input']): boolean;
}

export const TASKS: { readonly [Name in TaskName]: TaskEntry<Name> } = {
  'image-transform': {
    queue: 'images',
    load: async () => (await import('./image-transform.ts')).imageTransform,
    makePortable: bytesOfSource,
    isPortable: ({ source }) => source instanceof Uint8Array,
  },
  'webhook-batch': {
    queue: 'batches',
    load: async () => (await import('./webhook-batch.ts')).webhookBatch,
  },
};

export function isTaskName(name: unknown): name is TaskName {
  return typeof name === 'string' && Object.hasOwn(TASKS, name);
}

/** The input in a form that another machine accepts. */
export async function makePortable<Name extends TaskName>(
  task: Name,
  input: Tasks[Name]['input'],
): Promise<Tasks[Name]['input']> {
  return (await TASKS[task].makePortable?.(input)) ?? input;
}
