import { markStaleIfSettingsChanged } from '../read-model/compiled-settings.ts';
import { removeInterruptedImports } from '../transfer/remove-import.ts';
import { failInterruptedReplays } from '../webhooks/operator/replays.ts';
import { updateMasks } from '../webhooks/queues/create-queue.ts';
import type { Foundation } from './open-foundation.ts';

/** Finishes what an earlier process, other settings or an older version left, before the first request. */
export async function bringUpToDate({ storage, compiled }: Foundation): Promise<void> {
  await markStaleIfSettingsChanged(storage, compiled);
  await removeInterruptedImports(storage);
  await failInterruptedReplays(storage);
  await updateMasks(storage);
}
