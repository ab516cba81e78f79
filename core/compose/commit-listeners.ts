import { markStaleIfSettingsChanged } from '../read-model/compiled-settings.ts';
import type { CommittedChanges } from '../storage/ports.ts';
import { removeInterruptedImports } from '../transfer/remove-import.ts';
import type { Foundation } from './open-foundation.ts';
import type { ReadSide } from './open-read-side.ts';
import type { Background } from './start-background.ts';

interface CommitListener {
  readonly name: string;
  readonly committed: (changes: CommittedChanges) => void;
}

/** Of a variant, and of a project whose schedules waited. */
const WAKES_SCHEDULER: ReadonlySet<string> = new Set(['schedule', 'restore', 'import']);

/** Who is notified of each commit, in this order, before the write is acknowledged. */
export function commitListeners(
  { storage, compiled, failed }: Foundation,
  { delivery: { models, documents, versions }, feed, recompiler }: ReadSide,
  { mail, scheduler, webhooks }: Background,
): readonly CommitListener[] {
  return [
    // What core remembers comes first: whoever learns of the commit below and asks is answered from it.
    { name: 'models', committed: (changes) => models.committed(changes) },
    { name: 'documents', committed: (changes) => documents.committed(changes) },
    { name: 'tag versions', committed: (changes) => versions.note(changes) },
    // Before webhooks: a site that rebuilds on a notification reads through a gateway that knows the change.
    { name: 'change feed', committed: (changes) => feed.publish(changes) },
    {
      name: 'scheduler',
      committed: ({ entries }) => {
        if (entries.some(({ operation }) => WAKES_SCHEDULER.has(operation))) scheduler.wake();
      },
    },
    {
      name: 'mail about keys',
      committed: ({ entries }) => {
        if (entries.some(({ type }) => type === 'key')) mail.keysChanged();
      },
    },
    {
      // A backup may hold documents compiled with other settings, unfinished imports, mails that wait, keys that expire.
      name: 'restored installation',
      committed: ({ entries }) => {
        if (!entries.some(({ type }) => type === 'installation')) return;
        mail.queued();
        mail.keysChanged();
        removeInterruptedImports(storage)
          .then(() => markStaleIfSettingsChanged(storage, compiled))
          .then(() => recompiler.wake())
          .catch(failed('What was restored could not be brought up to date; restart to try again.'));
      },
    },
    // Last: a notification leaves only after everything above knows the change.
    { name: 'webhook dispatcher', committed: (changes) => webhooks.dispatch.committed(changes) },
  ];
}
