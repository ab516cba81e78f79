import type { ChangeEntry } from './ports.ts';

/** The changes of a restore: their tags invalidate everything that caches hold of the installation and of `projects`. */
export function restoredChanges(
  projects: readonly { readonly number: number; readonly id: string }[],
): ChangeEntry[] {
  const own = { type: 'installation', operation: 'restore', object: 'installation', actor: null };
  return [
    { ...own, project: null, projectId: null, tags: ['projects', 'users'] },
    ...projects.map(({ number, id }) => ({
      ...own,
      project: number,
      projectId: id,
      tags: [`project:${id}`, `keys:${id}`],
    })),
  ];
}
