import { compileTouched } from '../read-model/compile-items.ts';
import type { CompiledSettings } from '../read-model/compiled-settings.ts';
import { listChanged } from '../read-model/write-listed-items.ts';
import { logChanges } from '../transaction/log-changes.ts';
import type { CommitParticipant } from '../transaction/project-transaction.ts';
import { writeWebhookEvents } from '../webhooks/plan/write-events.ts';

/** What each transaction over a project does before its commit, in this order. */
export function commitParticipants(settings: CompiledSettings): readonly CommitParticipant[] {
  return [
    // First: compiling adds tags and stale marks, which the next ones read.
    compileTouched(settings),
    listChanged,
    // Before the change log, which other processes wait for: a visible change has its events.
    writeWebhookEvents,
    // Last: it writes the tags that the participants above added, and the project's sequence.
    logChanges,
  ];
}
