import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CoreLog } from '../log.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import { openDiskBlobs } from '../storage/blobs/disk-blobs.ts';
import type { CoreOptions } from './core-options.ts';

export type FilesOptions = Pick<CoreOptions, 'dataDir' | 'filesDir' | 'filesBucket'>;

/** The store of asset files. The client library of S3 is loaded only where a bucket is set. */
export async function openFiles({
  dataDir,
  filesDir,
  filesBucket,
  log,
}: FilesOptions & { readonly log?: CoreLog }): Promise<Blobs> {
  if (filesBucket) return openBucket(filesBucket, join(dataDir, 'files-cache'), filesBucket.cacheBytes, log);
  return filesDir ? openDiskBlobs(filesDir, { isShared: true }) : openDiskBlobs(join(dataDir, 'files'));
}

export async function openBucket(
  { cacheBytes: _, ...bucket }: NonNullable<CoreOptions['filesBucket']>,
  folder: string,
  bytes: number,
  log?: CoreLog,
): Promise<Blobs> {
  const { openS3Blobs } = await import('../storage/blobs/s3-blobs.ts');
  return openS3Blobs({ ...bucket, ...(log && { log }), cache: { folder, bytes } });
}

/** Runs work on the store of asset files beside cores that use it; caches nothing. A folder that does not exist is empty. */
export async function withFiles<T>(
  { dataDir, filesDir, filesBucket }: FilesOptions,
  work: (blobs: Pick<Blobs, 'size' | 'list' | 'openOnce' | 'remove' | 'remote'>) => Promise<T>,
): Promise<T> {
  if (!filesBucket) {
    const folder = filesDir ?? join(dataDir, 'files');
    return work(existsSync(folder) ? await openDiskBlobs(folder, { isShared: true }) : NO_FILES);
  }
  const cache = await mkdtemp(join(tmpdir(), 'headwater-files-'));
  try {
    return await work(await openBucket(filesBucket, cache, 1));
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}

const NO_FILES = {
  size: async () => undefined,
  async *list() {},
  openOnce(): never {
    throw new Error('There is no folder of files.');
  },
  remove: async () => {},
};
