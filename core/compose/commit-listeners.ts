import { markStaleIfSettingsChanged } from '../read-model/compiled-settings.ts';
import type { CommittedChanges } from '../storage/ports.ts';
import { removeInterruptedImports } from '../transfer/remove-import.ts';
import { endImport } from '../transfer/running-imports.ts';
import type { ReadSide } from './open-read-side.ts';
import type { Resources } from './open-resources.ts';
import type { Background } from './start-background.ts';

interface CommitListener {
  readonly name: string;
  readonly committed: (changes: CommittedChanges) => void;
}

/** Operations on a variant, and on a project with waiting schedules. */
const WAKES_SCHEDULER: ReadonlySet<string> = new Set(['schedule', 'restore', 'import']);

/** Notifications wait no longer than this for the confirmations of gateways. */
const NOTIFY_AFTER_MS = 250;

/** The listeners of each commit, in this order, before the write is acknowledged. */
export function commitListeners(
  { storage, compiled, failed }: Resources,
  { delivery: { models, documents, versions }, feed, gatewayFeed, recompiler }: ReadSide,
  { mail, scheduler, webhooks }: Background,
): readonly CommitListener[] {
  return [
    // Caches of core first: requests that the listeners below cause are answered from them.
    { name: 'models', committed: (changes) => models.committed(changes) },
    { name: 'documents', committed: (changes) => documents.committed(changes) },
    { name: 'tag versions', committed: (changes) => versions.record(changes) },
    // Before webhooks: a site that rebuilds after a notification reads through a gateway that has the change.
    { name: 'change feed', committed: (changes) => feed.publish(changes) },
    { name: 'change feed of gateways', committed: (changes) => gatewayFeed.publish(changes) },
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
      // Another core canceled an import of this one, or took it over while this process stalled.
      name: 'removed imports',
      committed: ({ entries }) => {
        for (const { type, operation, object } of entries)
          if (type === 'project' && operation === 'delete') void endImport(storage, object);
      },
    },
    {
      // A backup may contain documents compiled with other settings, unfinished imports, waiting mails, expiring keys.
      name: 'restored installation',
      committed: ({ entries }) => {
        if (!entries.some(({ type }) => type === 'installation')) return;
        mail.queued();
        mail.keysChanged();
        removeInterruptedImports(storage)
          .then(() => markStaleIfSettingsChanged(storage, compiled))
          .then(() => recompiler.wake())
          .catch(failed('The restored data could not be brought up to date; restart to try again.'));
      },
    },
    {
      // Last: a notification is sent after all listeners above and the gateways have the change.
      name: 'webhook dispatcher',
      committed: (changes) => {
        const { sequence } = changes;
        const isConfirmed = gatewayFeed.isConfirmed(sequence);
        webhooks.dispatch.committed(
          changes,
          isConfirmed ? undefined : gatewayFeed.confirmed(sequence, NOTIFY_AFTER_MS),
        );
      },
    },
  ];
}
