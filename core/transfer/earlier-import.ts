import { ServiceError } from '../errors.ts';
import { IMPORT, IS_IMPORTED } from '../jobs/job-kinds.ts';
import type { Storage } from '../storage/ports.ts';
import { removeInterruptedImports } from './remove-import.ts';
import { isImported } from './running-imports.ts';

export interface EarlierImport {
  readonly job: string | null;
  readonly subject: string | null;
  readonly state: string | null;
  readonly archived: string | null;
  /** The import is running, or was interrupted and not removed: the disk was full, or the process was killed. */
  readonly is_incomplete: number;
}

/**
 * The last import into the project; undefined without a project.
 * @throws conflict while another process imports it
 */
export async function lastImport(storage: Storage, id: string): Promise<EarlierImport | undefined> {
  const find = () =>
    storage.sql.get<EarlierImport>(
      `SELECT j.id AS job, j.subject AS subject, j.state AS state, p.archived AS archived,
         CASE WHEN ${IS_IMPORTED} THEN 1 ELSE 0 END AS is_incomplete
       FROM project p LEFT JOIN job j ON j.project = p.number AND j.kind = '${IMPORT}' WHERE p.id = ?`,
      [id],
    );
  let found = await find();
  if (found?.is_incomplete !== 1) return found;
  await removeInterruptedImports(storage, id);
  found = await find();
  if (found?.is_incomplete === 1) throw isImported(id);
  return found;
}

/**
 * @returns the job that imported this archive
 * @throws conflict unless the project comes from it
 */
export function requireSameArchive(before: EarlierImport, archive: string, project: string): string {
  const { job, subject, state, archived } = before;
  if (job === null || state !== 'done' || subject !== `archive ${archive}`) {
    const what =
      job === null || state === 'done'
        ? `There already is a project with the id '${project}'.`
        : `An earlier version imported the project '${project}' only in part; archive it.`;
    throw new ServiceError('conflict', `${what} Import the archive under another id.`);
  }
  if (archived !== null)
    throw new ServiceError(
      'conflict',
      `The project '${project}' came from this archive and was archived since. Restore it, or import the archive under another id.`,
    );
  return job;
}
