import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../errors.ts';
import { makeFolder } from '../storage/make-folder.ts';
import type { Operations } from '../transaction/operations.ts';
import { DATABASE, hashFile, MANIFEST, newManifest, pathOf } from './manifest.ts';

export interface BackupOptions {
  readonly created: string;
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface BackedUp {
  readonly folder: string;
  readonly bytes: number;
  readonly files: number;
}

/**
 * Writes a snapshot of the running installation into a new folder: all projects, users, keys (as hashes), the history
 * and asset files, without the admin token, the certificate and the settings. The folder gets its name when it is
 * complete and checked.
 */
export async function backUp(
  { storage, blobs }: Pick<Operations, 'storage' | 'blobs'>,
  folder: string,
  options: BackupOptions,
): Promise<BackedUp> {
  await refuseTaken(folder);
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  try {
    await makeFolder(unfinished);
    const file = join(unfinished, DATABASE);
    await storage.copyTo(file);
    const database = await hashFile(file);
    // Files are stored before their rows and never change, so the present files include those of the snapshot.
    const rows = await storage.sql.all<{ hash: string }>('SELECT DISTINCT hash FROM file ORDER BY hash');
    const hashes: string[] = [];
    for (const { hash } of rows) {
      options.signal?.throwIfAborted();
      const to = pathOf(unfinished, hash);
      await mkdir(dirname(to), { recursive: true });
      await pipeline(blobs.open(hash), createWriteStream(to, { flush: true }));
      if ((await hashFile(to)).hash !== hash)
        throw new ServiceError('internal', `The stored file ${hash} is damaged; the backup was cancelled.`);
      hashes.push(hash);
      options.progress?.(hashes.length, rows.length);
    }
    const manifest = newManifest(options.created, database, hashes);
    await writeFile(join(unfinished, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
    await rename(unfinished, folder);
    await flushFolder(dirname(folder));
    return { folder, bytes: database.size, files: hashes.length };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function refuseTaken(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (entries?.length)
    throw new ServiceError('conflict', `${folder} is not empty; name a folder that does not exist yet.`);
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
