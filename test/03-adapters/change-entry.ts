import type { ChangeEntry } from '../../core/storage/ports.ts';

/** As an operation leaves it behind. */
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
