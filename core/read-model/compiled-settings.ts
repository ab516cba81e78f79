import { StartError } from '../../config/start-error.ts';
import { projectTag } from '../changes/tags.ts';
import type { Storage } from '../storage/ports.ts';
import { writePending } from './mark-stale.ts';

/** Settings that are part of compiled bytes. */
export interface CompiledSettings {
  /** Of rich text objects: `service` in `application/service`. */
  readonly mediaType: string;
}

/**
 * Two cores with different settings would recompile each other's documents forever.
 * @throws StartError for other settings than those of the running cores
 */
export async function requireSameSettings(storage: Storage, settings: CompiledSettings): Promise<void> {
  const known = await storage.sql.get<{ baked: string | null }>('SELECT baked FROM installation');
  if (!known?.baked || known.baked === JSON.stringify(settings)) return;
  throw new StartError(
    'Another core of this installation runs with another vendor.mediaType, which is part of compiled documents; give every core the same one.',
  );
}

/**
 * Marks all documents stale after a start with other settings. Readers get stale documents compiled for their request,
 * and the recompile job goes through all projects.
 */
export async function markStaleIfSettingsChanged(
  storage: Storage,
  settings: CompiledSettings,
): Promise<void> {
  const current = JSON.stringify(settings);
  const known = await storage.sql.get<{ baked: string | null }>('SELECT baked FROM installation');
  if (known?.baked === current) return;
  await storage.write(async (tx) => {
    await tx.run('UPDATE installation SET baked = ?', [current]);
    if (!known?.baked) return;
    for (const { number, id } of await tx.all<{ number: number; id: string }>(
      'SELECT number, id FROM project',
    )) {
      await writePending(tx, number, 'project', number);
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
