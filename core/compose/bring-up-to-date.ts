import { acceptAdminToken } from '../access/accept-admin-token.ts';
import { markStaleIfSettingsChanged, requireSameSettings } from '../read-model/compiled-settings.ts';
import { bucketClaim } from '../storage/bucket-claim.ts';
import { updateMasks } from '../webhooks/queues/create-queue.ts';
import { endInterruptedWork } from './interrupted-work.ts';
import type { Resources } from './open-resources.ts';

/**
 * Finishes what an earlier process, other settings or an older version left, before the first request.
 * @throws StartError if other cores run with another admin token or other compiled settings, or another installation
 * uses the bucket of files
 */
export async function bringUpToDate({ options, storage, blobs, compiled }: Resources): Promise<void> {
  const { adminToken, isCommand = false } = options;
  await storage.startCore(
    async (othersRun) => {
      if (othersRun) await requireSameSettings(storage, compiled);
      if (adminToken && !isCommand) await acceptAdminToken(storage, adminToken, othersRun);
      await markStaleIfSettingsChanged(storage, compiled);
    },
    { isCommand },
  );
  if (blobs.remote) await blobs.remote.claim(await bucketClaim(storage));
  if (!isCommand) await endInterruptedWork(storage);
  await updateMasks(storage);
}
