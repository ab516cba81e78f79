/** The table of all tasks; loading it loads none of them. */

import type { TaskName, Tasks } from '../contract.ts';
import { bytesOfSource } from '../images/bytes-of-source.ts';
import type { TaskFunction } from './task.ts';

/** Tasks of one lane wait for each other, never for those of another. */
export const LANES = ['images', 'batches'] as const;
export type LaneName = (typeof LANES)[number];

interface TaskEntry<Name extends TaskName> {
  readonly lane: LaneName;
  /** Called in a thread of a host, when the first of these tasks comes. */
  load(): Promise<TaskFunction<Name>>;
  /** Makes an input that means the same on another machine; absent: it does as it is. */
  travelling?(input: Tasks[Name]['input']): Promise<Tasks[Name]['input']>;
  /** That was done; asked of what comes over a network. */
  hasTravelled?(input: Tasks[Name]['input']): boolean;
}

export const TASKS: { readonly [Name in TaskName]: TaskEntry<Name> } = {
  'image-transform': {
    lane: 'images',
    load: async () => (await import('./image-transform.ts')).imageTransform,
    travelling: bytesOfSource,
    hasTravelled: ({ source }) => source instanceof Uint8Array,
  },
  'webhook-batch': {
    lane: 'batches',
    load: async () => (await import('./webhook-batch.ts')).webhookBatch,
  },
};

export function isTaskName(name: unknown): name is TaskName {
  return typeof name === 'string' && Object.hasOwn(TASKS, name);
}

/** The input as another machine can take it. */
export async function travelling<Name extends TaskName>(
  task: Name,
  input: Tasks[Name]['input'],
): Promise<Tasks[Name]['input']> {
  return (await TASKS[task].travelling?.(input)) ?? input;
}
