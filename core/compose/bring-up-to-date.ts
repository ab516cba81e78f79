import { rebakeIfChanged } from '../read-model/baked-settings.ts';
import { removeImportsBrokenOff } from '../transfer/remove-import.ts';
import { failReplaysBrokenOff } from '../webhooks/desk/replays.ts';
import { fillMasks } from '../webhooks/lanes/open-lane.ts';
import type { Foundation } from './open-foundation.ts';

/** Settles what an earlier process, other settings or an older version left, before anybody reads or listens. */
export async function bringUpToDate({ storage, compiled }: Foundation): Promise<void> {
  await rebakeIfChanged(storage, compiled);
  await removeImportsBrokenOff(storage);
  await failReplaysBrokenOff(storage);
  await fillMasks(storage);
}
