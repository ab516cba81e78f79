import { checkFiles } from '../assets/check-files.ts';
import { bucketClaim } from '../storage/bucket-claim.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { OwnerLock } from '../storage/owner-lock.ts';
import type { CoreOptions } from './core-options.ts';
import { type FilesOptions, withFiles } from './open-files.ts';
import { openDatabase, workAlone } from './work-alone.ts';

/**
 * Deletes the files that no row names. No core may run meanwhile: it could store the same content again.
 * @returns their number
 * @throws StartError where a core runs, or the bucket is that of another installation
 */
export async function removeOrphanedFiles(
  options: FilesOptions & Pick<CoreOptions, 'databaseUrl'>,
): Promise<number> {
  const { dataDir, databaseUrl } = options;
  await makeFolder(dataDir);
  const lock = await OwnerLock.take(dataDir);
  try {
    const database = openDatabase({
      dataDir,
      databaseUrl,
      mayMigrate: false,
      command: 'doctor',
    });
    return await workAlone(database, 'installation', (storage) =>
      withFiles(options, async (blobs) => {
        if (blobs.remote) await blobs.remote.claim(await bucketClaim(storage));
        const { orphaned } = await checkFiles(storage.sql, blobs);
        for (const { hash } of orphaned) await blobs.remove(hash);
        return orphaned.length;
      }),
    );
  } finally {
    await lock.release();
  }
}
