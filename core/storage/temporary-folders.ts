import { mkdtemp, readdir, rm } from 'node:fs/promises';
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

/**
 * Removes what processes that were killed left in the folder. The folder itself stays: it may be a mount, or a link to
 * another disk.
 * @param root the caller owns the data folder
 */
export async function openTemporaryFolders(root: string): Promise<TemporaryFolders> {
  // What another user has left, and this one may not remove, does not stop the start.
  for (const name of await namesIn(root))
    await rm(join(root, name), { recursive: true, force: true }).catch(() => undefined);
  return {
    async make(purpose) {
      await makeFolder(root);
      return mkdtemp(join(root, `${purpose}-`));
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
