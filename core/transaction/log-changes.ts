import { projectTag } from '../changes/tags.ts';
import type { CommitParticipant, ProjectTransaction } from './project-transaction.ts';

/** More tags become one tag for the whole project; a transaction with so many items is an import. */
const TAG_LIMIT = 4000;

/**
 * Writes the change log of the transaction, with all tags, and the project's sequences. A transaction without a change
 * does not use its sequence; the next one gets it. Readers identify states by sequence, so a transaction that changes
 * something must log a change.
 */
export const logChanges: CommitParticipant = {
  name: 'change log',
  async prepare(transaction) {
    const { tx, project, changes, touchedItems, isModelChanged, staleMarks, tags } = transaction;
    if (changes.length === 0) {
      if (touchedItems.length > 0 || isModelChanged || staleMarks.size > 0 || tags.size > 0)
        throw new Error('An operation changed what readers get and logged no change.');
      return;
    }
    writeEntries(transaction);
    tx.stamp(project.number);
    if (isModelChanged)
      await tx.run('UPDATE project SET model_sequence = ? WHERE number = ?', [tx.sequence, project.number]);
  },
};

function writeEntries({ tx, project, actor, changes, tags }: ProjectTransaction): void {
  const { number, id } = project;
  const all = projectTag(id);
  const isEverything =
    tags.size > TAG_LIMIT || tags.has(all) || changes.some((change) => change.tags.includes(all));
  const shared = isEverything ? [all] : [...tags];
  for (const [index, { detail: _detail, ...entry }] of changes.entries()) {
    const own = index === 0 ? [...new Set([...entry.tags, ...shared])] : entry.tags;
    tx.change({ project: number, projectId: id, actor, ...entry, tags: own });
  }
}
