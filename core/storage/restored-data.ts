import type { CommitState } from './ports.ts';
import type { Sql } from './sql.ts';
import type { Writer } from './write-transaction.ts';

/** Columns that differ after a restore, by table: what `adoptRows` sets. */
export const COLUMNS_OF_RESTORE: Readonly<Record<string, readonly string[]>> = {
  installation: ['sequence', 'epoch', 'admin_token', 'sample', 'timeline', 'bucket_claim'],
  project: ['sequence', 'model_sequence'],
  job: ['state', 'error', 'owner'],
};

/** Tables that are empty after a restore: who was signed in then need not be now. */
export const EMPTIED_BY_RESTORE: readonly string[] = ['session', 'sign_in_link'];

/** What a restore keeps of the installation. */
export interface OwnInstallation {
  readonly admin_token: string | null;
  readonly sample: string | null;
  readonly timeline: string | null;
  readonly bucket_claim: string | null;
}

export async function ownInstallation(sql: Pick<Sql, 'get'>): Promise<OwnInstallation> {
  const row = await sql.get<OwnInstallation>(
    'SELECT admin_token, sample, timeline, bucket_claim FROM installation WHERE id = 1',
  );
  return row ?? { admin_token: null, sample: null, timeline: null, bucket_claim: null };
}

/** Completes the rows of a copy that have replaced those of this installation. */
export async function adoptRows(
  writer: Pick<Writer, 'run'>,
  own: OwnInstallation,
  { sequence, epoch }: CommitState,
): Promise<void> {
  await writer.run(
    'UPDATE installation SET epoch = ?, admin_token = ?, sample = COALESCE(sample, ?), timeline = ?, bucket_claim = ?',
    [epoch, own.admin_token, own.sample, own.timeline, own.bucket_claim],
  );
  await raiseSequences(writer, sequence);
  for (const table of EMPTIED_BY_RESTORE) await writer.run(`DELETE FROM ${table}`);
  // Imports and acts on many objects are taken back by the process that takes them over.
  await writer.run(
    `UPDATE job SET state = 'failed', error = 'interrupted'
     WHERE state = 'running' AND kind NOT IN ('import', 'act-on-many')`,
  );
  await writer.run(`UPDATE job SET owner = NULL WHERE kind = 'act-on-many'`);
}

/** Makes everything that was cached by a sequence out of date. */
export async function raiseSequences(writer: Pick<Writer, 'run'>, sequence: number): Promise<void> {
  await writer.run('UPDATE installation SET sequence = ?', [sequence]);
  await writer.run('UPDATE project SET sequence = ?, model_sequence = ?', [sequence, sequence]);
}
