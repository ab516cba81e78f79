import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../errors.ts';
import { IMPORTED } from '../jobs/job-kinds.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import { flushToDisk } from '../storage/flush-to-disk.ts';
import { isDiskFull } from '../storage/full-disk.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { FolderInUse, OWNER_LOCK, OwnerLock } from '../storage/owner-lock.ts';
import type { Sql } from '../storage/sql.ts';
import type { Operations } from '../transaction/operations.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { inParallel } from '../turns/in-parallel.ts';
import { walkInPieces } from '../turns/in-pieces.ts';
import { DATABASE, hashFile, MANIFEST, newManifest, pathOf } from './manifest.ts';

/** Files that are copied at once. */
const FILES_AT_ONCE = 4;

export interface BackupOptions {
  readonly created: string;
  /** False: only their hashes are recorded; they stay where they are. By default they are copied. */
  readonly withFiles?: boolean;
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface BackedUp {
  readonly folder: string;
  readonly bytes: number;
  /** Those that were copied, or recorded. */
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
  const unfinished = `${folder}.unfinished`;
  await makeFolder(unfinished);
  const lock = await lockFolder(unfinished, folder);
  try {
    await refuseTaken(folder);
    await removeLeftovers(unfinished);
    const file = join(unfinished, DATABASE);
    await storage.copyTo(file);
    options.signal?.throwIfAborted();
    const database = await hashFile(file);
    // Files are stored before their rows and never change, so the present files include those of the snapshot, except those
    // of imports, which a restore removes.
    const { withFiles = true } = options;
    const sizes = await sizesOfFiles(storage.sql);
    const hashes = [...sizes.keys()];
    await (withFiles ? copyFiles(blobs, hashes, unfinished, options) : refuseMissing(blobs, sizes, options));
    const manifest = newManifest(options.created, database, hashes, withFiles);
    await writeFile(join(unfinished, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
    await rename(unfinished, folder);
    await rm(join(folder, OWNER_LOCK));
    await flushToDisk(dirname(folder));
    return { folder, bytes: database.size, files: hashes.length };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw isDiskFull(error) ? fullDisk(folder, error) : error;
  } finally {
    await lock.release();
  }
}

/** The reason itself does not say which disk it is. */
function fullDisk(folder: string, cause: unknown): ServiceError {
  const message = `The disk of ${folder} is full; free some space on it, or name a folder elsewhere.`;
  return new ServiceError('insufficientStorage', message, { cause });
}

/** @throws conflict while another process or another call writes to it */
function lockFolder(unfinished: string, folder: string): Promise<OwnerLock> {
  return OwnerLock.take(unfinished).catch(async (error: unknown) => {
    // One that has just ended took the file of the lock with it.
    if (error instanceof FolderInUse || !existsSync(join(unfinished, OWNER_LOCK))) {
      const message = `Another backup is being written to ${folder}; wait for it, or name another folder.`;
      throw new ServiceError('conflict', message, { cause: error });
    }
    await rm(unfinished, { recursive: true, force: true });
    throw isDiskFull(error) ? fullDisk(folder, error) : error;
  });
}

/** Of a backup that was killed. */
async function removeLeftovers(unfinished: string): Promise<void> {
  for (const name of await readdir(unfinished))
    if (name !== OWNER_LOCK) await rm(join(unfinished, name), { recursive: true });
}

interface FileRow {
  readonly id: string;
  readonly hash: string;
  readonly size: number;
}

/** By hash. The service answers requests meanwhile, so the rows are read some at a time. */
async function sizesOfFiles(sql: Sql): Promise<Map<string, number>> {
  const rows = await walkInPieces<FileRow>(
    Number.POSITIVE_INFINITY,
    (limit, last) =>
      sql.all(
        `SELECT id, hash, size FROM file WHERE id > ? AND project NOT IN (${IMPORTED}) ORDER BY id LIMIT ?`,
        [last?.id ?? '', limit],
      ),
    () => 0,
  );
  const sizes = new Map<string, number>();
  await eachInTurns(rows, ({ hash, size }) => sizes.set(hash, Math.max(size, sizes.get(hash) ?? 0)));
  return sizes;
}

async function copyFiles(
  blobs: Blobs,
  hashes: readonly string[],
  folder: string,
  { signal, progress }: BackupOptions,
): Promise<void> {
  let done = 0;
  await inParallel(hashes, FILES_AT_ONCE, async (hash) => {
    signal?.throwIfAborted();
    const to = pathOf(folder, hash);
    await mkdir(dirname(to), { recursive: true });
    await pipeline(blobs.openOnce(hash), createWriteStream(to, { flush: true }));
    if ((await hashFile(to)).hash !== hash)
      throw new ServiceError('internal', `The stored file ${hash} is damaged; the backup was cancelled.`);
    progress?.(++done, hashes.length);
  });
}

/** A backup that could not be restored is none. */
async function refuseMissing(
  blobs: Blobs,
  sizes: ReadonlyMap<string, number>,
  { signal, progress }: BackupOptions,
): Promise<void> {
  const missing = new Map(sizes);
  for await (const { hash, size } of blobs.list()) {
    signal?.throwIfAborted();
    if (missing.get(hash) !== size) continue;
    missing.delete(hash);
    progress?.(sizes.size - missing.size, sizes.size);
  }
  const [hash] = missing.keys();
  if (hash !== undefined)
    throw new ServiceError(
      'internal',
      `The stored file ${hash} is missing or has another size; the backup was cancelled.`,
    );
}

async function refuseTaken(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (entries?.length)
    throw new ServiceError('conflict', `${folder} is not empty; name a folder that does not exist yet.`);
}
