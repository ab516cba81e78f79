import { projectTag } from '../changes/tags.ts';
import type { CommitParticipant, ProjectTransaction } from './project-transaction.ts';

/** More become one tag for the whole project; a transaction that touches so many items is an import. */
const TAG_LIMIT = 4000;

/**
 * Writes the change log of the transaction, with all tags, and the project's sequences. A transaction without a
 * change has no commit of its sequence: the next one has it, and readers tell states apart by it.
 */
export const logChanges: CommitParticipant = {
  name: 'change log',
  async prepare(transaction) {
    const { tx, project, changes, touchedItems, isModelChanged, staleMarks, tags } = transaction;
    if (changes.length === 0) {
      if (touchedItems.length > 0 || isModelChanged || staleMarks.size > 0 || tags.size > 0)
        throw new Error('An operation changed what readers get and entered no change in the log.');
      return;
    }
    enter(transaction);
    tx.stamp(project.number);
    if (isModelChanged)
      await tx.run('UPDATE project SET model_sequence = ? WHERE number = ?', [tx.sequence, project.number]);
  },
};

function enter({ tx, project, actor, changes, tags }: ProjectTransaction): void {
  const { number, id } = project;
  const all = projectTag(id);
  const isEverything =
    tags.size > TAG_LIMIT || tags.has(all) || changes.some((change) => change.tags.includes(all));
  const found = isEverything ? [all] : [...tags];
  for (const [index, { detail: _detail, ...entry }] of changes.entries()) {
    const own = index === 0 ? [...new Set([...entry.tags, ...found])] : entry.tags;
    tx.change({ ...entry, tags: own, project: number, projectId: id, actor });
  }
}
