import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/**
 * Folders for the files of one piece of work: an archive, a copy of the database. They may be as large as the data, so they
 * are in the data folder: the folder of the system is memory on many systems.
 */
export interface TemporaryFolders {
  /** A new folder that only its owner can read; the caller removes it. */
  make(purpose: string): Promise<string>;
}

/** @param root removed with what processes that were killed left in it; the caller owns the data folder */
export async function openTemporaryFolders(root: string): Promise<TemporaryFolders> {
  await rm(root, { recursive: true, force: true });
  return {
    async make(purpose) {
      await makeFolder(root);
      return mkdtemp(join(root, `${purpose}-`));
    },
  };
}
