import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';

/**
 * A backup is a folder: `headwater.db`, `files/ab/cdef…` by SHA-256, and the manifest `backup.json`, written last. A backup
 * without files has only their hashes; earlier versions, which cannot restore it, refuse its format.
 */
export const DATABASE = 'headwater.db';
export const MANIFEST = 'backup.json';
const FORMAT = 1;
const WITHOUT_FILES = 2;

export interface Manifest {
  readonly format: number;
  readonly created: string;
  /** Of the database, SHA-256. */
  readonly hash: string;
  readonly size: number;
  /** Hashes of the files of assets. */
  readonly files: readonly string[];
}

export function newManifest(
  created: string,
  database: Hashed,
  files: readonly string[],
  withFiles: boolean,
): Manifest {
  return { format: withFiles ? FORMAT : WITHOUT_FILES, created, ...database, files };
}

/** Whether the files are in the backup; else they are in the store of the installation. */
export function hasFiles({ format }: Manifest): boolean {
  return format === FORMAT;
}

/** @throws badRequest for a folder that is no complete backup */
export async function readManifest(folder: string): Promise<Manifest> {
  let manifest: Manifest | null;
  try {
    manifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'));
  } catch (cause) {
    throw new ServiceError('badRequest', `${folder} is no backup, or one that was not finished.`, { cause });
  }
  if (manifest?.format !== FORMAT && manifest?.format !== WITHOUT_FILES)
    throw new ServiceError('badRequest', `${folder} was written by another version than this one.`);
  const isHash = (hash: unknown) => typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
  if (!isHash(manifest.hash) || !Number.isSafeInteger(manifest.size) || typeof manifest.created !== 'string')
    throw new ServiceError('badRequest', `${folder} is damaged: the values in ${MANIFEST} are invalid.`);
  if (!Array.isArray(manifest.files) || !manifest.files.every(isHash))
    throw new ServiceError('badRequest', `${folder} is damaged: its list of files is wrong.`);
  return manifest;
}

export function pathOf(folder: string, hash: string): string {
  return join(folder, 'files', hash.slice(0, 2), hash.slice(2));
}

export interface Hashed {
  readonly hash: string;
  readonly size: number;
}

export async function hashFile(file: string): Promise<Hashed> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  return { hash: hash.digest('hex'), size: (await stat(file)).size };
}
