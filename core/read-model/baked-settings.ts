import { projectTag } from '../changes/tags.ts';
import type { Storage } from '../storage/ports.ts';
import { STALE } from '../storage/stale.ts';
import type { ReadSideSettings } from './read-side.ts';

/**
 * Compiled documents hold settings in their bytes. After a start with other settings every document is out
 * of date: readers get it compiled on the way, and the recompile job goes through all projects.
 */
export async function rebakeIfChanged(storage: Storage, settings: ReadSideSettings): Promise<void> {
  const baked = JSON.stringify(settings);
  const known = await storage.sql.get<{ baked: string | null }>('SELECT baked FROM installation');
  if (known?.baked === baked) return;
  await storage.write(async (tx) => {
    await tx.run('UPDATE installation SET baked = ?', [baked]);
    if (!known?.baked) return;
    for (const { number, id } of await tx.all<{ number: number; id: string }>(
      'SELECT number, id FROM project',
    )) {
      await tx.run(
        `INSERT INTO pending (project, kind, target, sequence) VALUES (?, ?, ?, ?)
         ON CONFLICT (project, kind, target) DO UPDATE SET sequence = excluded.sequence`,
        [number, STALE.project, number, tx.sequence],
      );
      await tx.run('UPDATE project SET sequence = ? WHERE number = ?', [tx.sequence, number]);
      tx.change({
        project: number,
        projectId: id,
        type: 'project',
        operation: 'recompile',
        object: id,
        tags: [projectTag(id)],
        actor: null,
      });
    }
  });
}
