import { compileTouched } from '../read-model/compile-items.ts';
import type { CompiledSettings } from '../read-model/compiled-settings.ts';
import { logChanges } from '../transaction/log-changes.ts';
import type { CommitParticipant } from '../transaction/project-transaction.ts';
import { writeWebhookEvents } from '../webhooks/plan/write-events.ts';

/** What each transaction over a project does before its commit, in this order. */
export function commitParticipants(settings: CompiledSettings): readonly CommitParticipant[] {
  return [
    // First: compiling tags answers and marks documents that link to what changed; the others read both.
    compileTouched(settings),
    // Before the change log, which is what other processes wait for: a change that is seen has its events.
    writeWebhookEvents,
    // Last: it writes the tags of all before it, and stamps the project with the sequence.
    logChanges,
  ];
}
