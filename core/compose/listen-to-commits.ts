import type { Storage } from '../storage/ports.ts';
import type { CommitListener } from './commit-listeners.ts';

/** Calls the listeners for each commit. One that throws is reported and begins anew; the others have the commit. */
export function listenToCommits(
  storage: Pick<Storage, 'onCommit'>,
  listeners: readonly CommitListener[],
  failed: (text: string) => (error: unknown) => void,
): void {
  for (const { name, committed, reset } of listeners)
    storage.onCommit((changes) => {
      try {
        committed(changes);
      } catch (error) {
        failed(`A commit could not be passed to '${name}', which begins anew.`)(error);
        reset({ sequence: changes.sequence, epoch: changes.epoch });
      }
    }, reset);
}
