import { constants, existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartError } from '../../config/start-error.ts';
import { type MovedData, type MoveProgress, moveData } from '../backup/move-data.ts';
import { type MovedFiles, moveFiles } from '../backup/move-files.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import { openDiskBlobs } from '../storage/blobs/disk-blobs.ts';
import { bucketClaim } from '../storage/bucket-claim.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { OwnerLock } from '../storage/owner-lock.ts';
import type { Storage } from '../storage/ports.ts';
import { openSqlite } from '../storage/sqlite/open-sqlite.ts';
import type { CoreOptions } from './core-options.ts';
import { openBucket, openFiles } from './open-files.ts';
import { openDatabase, workAlone } from './work-alone.ts';

type FilesBucket = NonNullable<CoreOptions['filesBucket']>;

export interface MoveOptions {
  readonly source: Pick<CoreOptions, 'dataDir' | 'databaseUrl' | 'filesDir' | 'filesBucket'>;
  /** The database is moved to PostgreSQL, or into a data folder. */
  readonly to?: { readonly databaseUrl: string } | { readonly dataDir: string } | undefined;
  /** The files are moved into a bucket or a folder. */
  readonly filesTo?: { readonly bucket: FilesBucket } | { readonly folder: string } | undefined;
  readonly progress: MoveProgress;
}

export interface Moved {
  readonly data: MovedData | null;
  readonly files: MovedFiles | null;
}

/**
 * Moves an installation that no core serves to another database, its files to another store, or both. The source stays as it
 * is. Repeated after an interruption, it continues.
 * @throws StartError where a core uses the source or the target
 */
export async function moveInstallation(options: MoveOptions): Promise<Moved> {
  const { dataDir, databaseUrl } = options.source;
  if (databaseUrl) await makeFolder(dataDir);
  else if (!existsSync(databaseOf(dataDir)))
    throw new StartError(`There is no database in the data folder ${dataDir}.`);
  const lock = await OwnerLock.take(dataDir);
  try {
    return await workAlone(open({ dataDir, databaseUrl, mayMigrate: false }), 'source', async (source) => {
      // The moved rows have it.
      if (options.filesTo && 'bucket' in options.filesTo) await bucketClaim(source);
      return {
        data: options.to ? await moveDatabase(source, options.to, options) : null,
        files: options.filesTo ? await moveToStore(source, options.filesTo, options) : null,
      };
    });
  } finally {
    await lock.release();
  }
}

async function moveDatabase(
  source: Storage,
  to: NonNullable<MoveOptions['to']>,
  { source: { dataDir }, progress }: MoveOptions,
): Promise<MovedData> {
  const folder = join(dataDir, 'move.unfinished');
  const move = (target: Storage) =>
    moveData(source, target, folder, (file) => openSqlite({ file }), progress);
  if ('databaseUrl' in to) return workAlone(open({ dataDir, ...to }), 'target', move);
  await makeFolder(to.dataDir);
  if (resolve(to.dataDir) === resolve(dataDir)) return workAlone(open(to), 'target', move);
  const lock = await OwnerLock.take(to.dataDir);
  try {
    const moved = await workAlone(open(to), 'target', move);
    await copyAdminToken(dataDir, to.dataDir);
    return moved;
  } finally {
    await lock.release();
  }
}

/** The token that is valid in the new folder too, unless the settings have one. */
async function copyAdminToken(from: string, to: string): Promise<void> {
  await copyFile(join(from, 'admin-token'), join(to, 'admin-token'), constants.COPYFILE_EXCL).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
    },
  );
}

async function moveToStore(
  source: Storage,
  to: NonNullable<MoveOptions['filesTo']>,
  { source: from, progress }: MoveOptions,
): Promise<MovedFiles> {
  progress.step('Copying files');
  const cache = join(from.dataDir, 'move-cache.unfinished');
  // What an earlier move cached says nothing about the bucket.
  await rm(cache, { recursive: true, force: true });
  try {
    const target = await openTarget(to, source, cache);
    return await moveFiles(source.sql, await openFiles(from), target, progress.files);
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}

async function openTarget(
  to: NonNullable<MoveOptions['filesTo']>,
  source: Storage,
  cache: string,
): Promise<Blobs> {
  if ('folder' in to) return openDiskBlobs(to.folder, { isShared: true });
  // Every file is written once.
  const blobs = await openBucket(to.bucket, cache, 1);
  await blobs.remote?.claim(await bucketClaim(source));
  return blobs;
}

function open(of: Omit<Parameters<typeof openDatabase>[0], 'command'>) {
  return openDatabase({ ...of, command: 'move' });
}

function databaseOf(dataDir: string): string {
  return join(dataDir, 'headwater.db');
}
