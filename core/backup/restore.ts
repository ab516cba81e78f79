import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import type { Sql } from '../storage/sql.ts';
import { StorageStartError } from '../storage/start-error.ts';
import type { Operations } from '../transaction/operations.ts';
import { DATABASE, hashFile, type Manifest, placeOf, readManifest } from './manifest.ts';

export interface RestoreOptions {
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Puts a backup in the place of everything there is, while the service runs: readers see the old or the new,
 * nothing between. First everything is checked; then files are taken over, beside those that are there; then the
 * rows change in one commit, under a new epoch, so that nothing kept anywhere is taken for current.
 * @throws badRequest where the backup is not whole; nothing has changed then
 */
export async function restore(
  { storage, blobs }: Pick<Operations, 'storage' | 'blobs'>,
  folder: string,
  options: RestoreOptions = {},
): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const database = join(folder, DATABASE);
  const found = await hashFile(database).catch(isGone);
  if (!found) throw damaged(folder, 'its database is missing');
  if (found.hash !== manifest.hash || found.size !== manifest.size)
    throw damaged(folder, 'its database is not what it was');
  for (const [index, file] of manifest.files.entries()) {
    options.signal?.throwIfAborted();
    const content = await hashFile(placeOf(folder, file)).catch(isGone);
    if (content?.hash !== file) throw damaged(folder, `the file ${file} is missing or not what it was`);
    options.progress?.(index + 1, manifest.files.length);
  }
  // A backup of an older version is brought up to date; the backup itself stays as it is.
  const temporary = await mkdtemp(join(tmpdir(), 'headwater-restore-'));
  try {
    const copy = join(temporary, DATABASE);
    await copyFile(database, copy);
    await storage.replaceWith(copy, async (sql) => {
      await refuseMissing(folder, manifest, sql);
      for (const file of manifest.files) {
        options.signal?.throwIfAborted();
        if ((await blobs.size(file)) === undefined) await blobs.put(createReadStream(placeOf(folder, file)));
      }
    });
  } catch (error) {
    // What starts with it as the database says what to do at a start.
    if (!(error instanceof StorageStartError)) throw error;
    const [what = ''] = error.message
      .replaceAll(join(temporary, DATABASE), 'its database')
      .split(/[;.](?=\s|$)/);
    throw new ServiceError('badRequest', `${folder} cannot be restored: ${what}. Nothing was changed.`, {
      cause: error,
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return manifest;
}

/** The list of files is part of what may be damaged, so it is held against the rows that speak of them. */
async function refuseMissing(folder: string, { files }: Manifest, sql: Sql): Promise<void> {
  const rows = await sql.all<{ hash: string }>('SELECT DISTINCT hash FROM file');
  const listed = new Set(files);
  const missing = rows.find(({ hash }) => !listed.has(hash));
  if (missing) throw damaged(folder, `the file ${missing.hash} is not in its list`);
}

function isGone(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'EISDIR' || error.code === 'ENOTDIR') return undefined;
  throw error;
}

function damaged(folder: string, what: string): ServiceError {
  return new ServiceError('badRequest', `${folder} is damaged: ${what}. Nothing was changed.`);
}
