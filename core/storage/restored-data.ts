import type { ChangeEntry } from './ports.ts';
import type { Sql } from './sql.ts';
import type { CommitState } from './write-queue.ts';
import type { Writer } from './write-transaction.ts';

/** What a restore keeps of the installation. */
export interface OwnInstallation {
  readonly admin_token: string | null;
  readonly sample: string | null;
}

export async function ownInstallation(sql: Pick<Sql, 'get'>): Promise<OwnInstallation> {
  const row = await sql.get<OwnInstallation>('SELECT admin_token, sample FROM installation WHERE id = 1');
  return row ?? { admin_token: null, sample: null };
}

/** Completes the rows of a copy that have replaced those of this installation. */
export async function adoptRows(
  writer: Pick<Writer, 'run'>,
  own: OwnInstallation,
  { sequence, epoch }: CommitState,
): Promise<void> {
  await writer.run(
    'UPDATE installation SET sequence = ?, epoch = ?, admin_token = ?, sample = COALESCE(sample, ?)',
    [sequence, epoch, own.admin_token, own.sample],
  );
  await writer.run('UPDATE project SET sequence = ?, model_sequence = ?', [sequence, sequence]);
  await writer.run(
    `UPDATE job SET state = 'failed', error = 'interrupted' WHERE state = 'running' AND kind <> 'import'`,
  );
}

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
