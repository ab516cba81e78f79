import { PROJECTS } from '../changes/tags.ts';
import { INVITE } from '../mail/invite.ts';
import { markStaleIfSettingsChanged } from '../read-model/compiled-settings.ts';
import type { CommitState, CommittedChanges } from '../storage/ports.ts';
import { removeInterruptedImports } from '../transfer/remove-import.ts';
import { endImport, endImports } from '../transfer/running-imports.ts';
import type { ReadSide } from './open-read-side.ts';
import type { Resources } from './open-resources.ts';
import type { Background } from './start-background.ts';

export interface CommitListener {
  readonly name: string;
  readonly committed: (changes: CommittedChanges) => void;
  /** Commits were missed, or all data were replaced. */
  readonly reset: (position: CommitState) => void;
}

/** Operations on a variant, and on a project with waiting schedules. */
const WAKES_SCHEDULER: ReadonlySet<string> = new Set(['schedule', 'restore', 'import']);

/** Notifications wait no longer than this for the confirmations of gateways. */
const NOTIFY_AFTER_MS = 250;

/** The listeners of each commit, in this order, before the write is acknowledged. */
export function commitListeners(
  { options, storage, compiled, failed }: Resources,
  { delivery: { models, versions }, feed, gatewayFeed, recompiler, unlisted }: ReadSide,
  { actJobs, mail, scheduler, webhooks }: Background,
): readonly CommitListener[] {
  let { epoch: current } = storage;
  return [
    // Caches of core first: requests that the listeners below cause are answered from them.
    { name: 'models', committed: (changes) => models.committed(changes), reset: () => models.reset() },
    {
      name: 'tag versions',
      committed: (changes) => versions.record(changes),
      reset: (position) => versions.reset(position),
    },
    // Before webhooks: a site that rebuilds after a notification reads through a gateway that has the change.
    {
      name: 'change feed',
      committed: (changes) => feed.publish(changes),
      reset: (position) => feed.reset(position),
    },
    {
      name: 'change feed of gateways',
      committed: (changes) => gatewayFeed.publish(changes),
      reset: (position) => gatewayFeed.reset(position),
    },
    {
      name: 'scheduler',
      committed: ({ entries }) => {
        if (entries.some(({ operation }) => WAKES_SCHEDULER.has(operation))) scheduler.wake();
      },
      reset: () => scheduler.wake(),
    },
    {
      // No transaction compiled its items without a variant, so they are not listed yet.
      name: 'imported project',
      committed({ entries }) {
        const isComplete = entries.some(
          ({ operation, tags }) => operation === 'import' && tags.includes(PROJECTS),
        );
        if (isComplete) unlisted.wake();
      },
      reset: () => {},
    },
    {
      name: 'mail',
      committed: ({ entries }) => {
        if (entries.some(({ type }) => type === 'key')) mail.keysChanged();
        if (entries.some(({ operation }) => operation === INVITE)) mail.queued();
      },
      reset() {
        mail.queued();
        mail.keysChanged();
      },
    },
    {
      // Another core canceled an import of this one, or took it over while this process stalled.
      name: 'removed imports',
      committed: ({ entries }) => {
        for (const { type, operation, object } of entries)
          if (type === 'project' && operation === 'delete') void endImport(storage, object);
      },
      reset: () => endImports(storage),
    },
    {
      // A backup may contain documents compiled with other settings, and unfinished imports and acts.
      name: 'restored installation',
      committed: () => {},
      reset({ epoch }) {
        unlisted.reset();
        if (epoch === current) recompiler.wake();
        else
          removeInterruptedImports(storage)
            .then(() => markStaleIfSettingsChanged(storage, compiled))
            .then(() => recompiler.wake())
            .then(() => (options.isCommand ? undefined : actJobs.takeOver()))
            .catch(failed('The restored data could not be brought up to date; restart to try again.'));
        current = epoch;
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
          isConfirmed ? undefined : gatewayFeed.confirmedWithin(sequence, NOTIFY_AFTER_MS),
        );
      },
      reset: () => webhooks.dispatch.reset(),
    },
  ];
}
