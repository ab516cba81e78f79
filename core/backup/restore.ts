import { createReadStream } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../config/start-error.ts';
import { hasHash } from '../assets/check-files.ts';
import { ServiceError } from '../errors.ts';
import { IMPORTED } from '../jobs/job-kinds.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Sql } from '../storage/sql.ts';
import type { Operations } from '../transaction/operations.ts';
import { inParallel } from '../turns/in-parallel.ts';
import { gatherStatistics } from './gather-statistics.ts';
import { DATABASE, hasFiles, hashFile, type Manifest, pathOf, readManifest } from './manifest.ts';

/** Files that are read or stored at once. */
const FILES_AT_ONCE = 4;

export interface RestoreOptions {
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
  /** What failed after the restore, which is complete without it. */
  readonly warn?: (text: string) => void;
}

/**
 * Replaces the data of the running installation by a backup: checks everything, adds the files, then replaces all rows
 * in one commit under a new epoch, which invalidates all caches.
 * @throws badRequest for an incomplete or damaged backup; nothing has changed then
 */
export async function restore(
  { storage, blobs, temporary }: Pick<Operations, 'storage' | 'blobs' | 'temporary'>,
  folder: string,
  options: RestoreOptions = {},
): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const database = join(folder, DATABASE);
  const found = await hashFile(database).catch(undefinedIfMissing);
  if (!found) throw damaged(folder, 'its database is missing');
  if (found.hash !== manifest.hash || found.size !== manifest.size)
    throw damaged(folder, 'its database is not what it was');
  const sizes = await checkFiles(blobs, folder, manifest, options);
  // The copy of an older version is migrated; the backup stays unchanged.
  const copies = await temporary.make('restore');
  try {
    const copy = join(copies, DATABASE);
    await copyFile(database, copy);
    await storage.replaceWith(copy, async (sql) => {
      await refuseMissing(folder, manifest, sql);
      await inParallel(sizes, FILES_AT_ONCE, async ([file, size]) => {
        options.signal?.throwIfAborted();
        if ((await blobs.size(file)) !== size) await blobs.put(createReadStream(pathOf(folder, file)));
      });
    });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // The rest of the message is advice for a start with this database.
    const [what = ''] = error.message
      .replaceAll(join(copies, DATABASE), 'its database')
      .split(/[;.](?=\s|$)/);
    throw new ServiceError('badRequest', `${folder} cannot be restored: ${what}. Nothing was changed.`, {
      cause: error,
    });
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
  await gatherStatistics(storage, options.warn);
  return manifest;
}

/**
 * Compares the files with their hashes: those of the backup, or of the store where the backup has only hashes.
 * @returns the sizes of the files of the backup
 */
async function checkFiles(
  blobs: Blobs,
  folder: string,
  manifest: Manifest,
  { signal, progress }: RestoreOptions,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  let done = 0;
  await inParallel(manifest.files, FILES_AT_ONCE, async (file) => {
    signal?.throwIfAborted();
    if (hasFiles(manifest)) {
      const content = await hashFile(pathOf(folder, file)).catch(undefinedIfMissing);
      if (content?.hash !== file) throw damaged(folder, `the file ${file} is missing or not what it was`);
      sizes.set(file, content.size);
    } else if (!(await hasHash(blobs, file)))
      throw new ServiceError(
        'badRequest',
        `${folder} has no files, and the file ${file} is missing or not what it was in the store of this installation (filesUrl, filesDir). Nothing was changed.`,
      );
    progress?.(++done, manifest.files.length);
  });
  return sizes;
}

/** The list of files may be damaged itself, so it is compared with the rows of files. */
async function refuseMissing(folder: string, { files }: Manifest, sql: Sql): Promise<void> {
  const rows = await sql.all<{ hash: string }>(
    `SELECT DISTINCT hash FROM file WHERE project NOT IN (${IMPORTED})`,
  );
  const listed = new Set(files);
  const missing = rows.find(({ hash }) => !listed.has(hash));
  if (missing) throw damaged(folder, `the file ${missing.hash} is not in its list`);
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'EISDIR' || error.code === 'ENOTDIR') return undefined;
  throw error;
}

function damaged(folder: string, what: string): ServiceError {
  return new ServiceError('badRequest', `${folder} is damaged: ${what}. Nothing was changed.`);
}
