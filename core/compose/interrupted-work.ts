import type { Storage } from '../storage/ports.ts';
import { removeInterruptedImports } from '../transfer/remove-import.ts';
import { failInterruptedTransfers } from '../transfer/transfer-jobs.ts';
import { failInterruptedReplays } from '../webhooks/operator/replays.ts';

/** Ends the imports, exports, clones and replays of processes that ended or stall. */
export async function endInterruptedWork(storage: Storage): Promise<void> {
  await removeInterruptedImports(storage);
  await failInterruptedReplays(storage);
  await failInterruptedTransfers(storage);
}
