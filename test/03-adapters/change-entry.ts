import type { ChangeEntry } from '../../core/storage/ports.ts';

/** An entry as an operation logs it. */
export function entry(object: string): ChangeEntry {
  return {
    project: null,
    projectId: null,
    type: 'user',
    operation: 'upsert',
    object,
    tags: [`tag:${object}`],
    actor: null,
  };
}
