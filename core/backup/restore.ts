import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import type { Operations } from '../operations.ts';
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
  const { hash } = await hashFile(database);
  if (hash !== manifest.hash) throw damaged(folder, 'its database is not what it was');
  for (const [index, file] of manifest.files.entries()) {
    options.signal?.throwIfAborted();
    const place = placeOf(folder, file);
    const found = await hashFile(place).catch(() => undefined);
    if (found?.hash !== file) throw damaged(folder, `the file ${file} is missing or not what it was`);
    if ((await blobs.size(file)) === undefined) await blobs.put(createReadStream(place));
    options.progress?.(index + 1, manifest.files.length);
  }
  // A backup of an older version is brought up to date; the backup itself stays as it is.
  const temporary = await mkdtemp(join(tmpdir(), 'headwater-restore-'));
  try {
    const copy = join(temporary, DATABASE);
    await copyFile(database, copy);
    options.signal?.throwIfAborted();
    await storage.replaceWith(copy);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return manifest;
}

function damaged(folder: string, what: string): ServiceError {
  return new ServiceError('badRequest', `${folder} is damaged: ${what}. Nothing was changed.`);
}
