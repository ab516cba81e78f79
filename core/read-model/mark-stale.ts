import { LANGUAGES, projectTag, TYPES, typeTag } from '../changes/tags.ts';
import { CHANNELS } from '../model/model.ts';
import type { Transaction } from '../storage/ports.ts';
import { STALE, type StaleExtent, type StaleKind } from '../storage/stale.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { tagsOfDependents } from './tags-of-dependents.ts';

/**
 * Marks documents that were compiled from `target` as stale from this sequence on, and tags answers that hold them.
 * Readers get stale documents compiled for their request until the recompile job has written them.
 */
export async function markStale(
  transaction: ProjectTransaction,
  kind: StaleKind,
  target: number,
  { extent = 'all' }: { readonly extent?: StaleExtent } = {},
): Promise<void> {
  const { tx, project } = transaction;
  transaction.recordStale(`${kind}:${target}`, extent);
  transaction.tag(
    ...ownTags(transaction, kind, target),
    ...(await tagsOfDependents(transaction, kind, [target], () => CHANNELS)),
  );
  await writePending(tx, project.number, kind, target, extent);
  if (extent === 'names')
    await tx.run('UPDATE project SET names_sequence = ? WHERE number = ?', [tx.sequence, project.number]);
}

/** The same for many items, where the channels that the transaction has changed each in show it. */
export async function markItemsStale(
  transaction: ProjectTransaction,
  items: readonly number[],
): Promise<void> {
  if (items.length === 0) return;
  const { tx, project } = transaction;
  await eachInTurns(items, (item) => transaction.recordStale(`item:${item}`, 'all'));
  transaction.tag(
    ...(await tagsOfDependents(transaction, 'item', items, (item) => transaction.channelsOf(item))),
  );
  const { text, parameter } = tx.among('target.number', items);
  await tx.run(
    `INSERT INTO pending (project, kind, target, sequence)
     SELECT ${project.number}, ${STALE.item}, target.number, ${tx.sequence} FROM item target WHERE ${text}
     ON CONFLICT (project, kind, target) DO UPDATE SET sequence = excluded.sequence, names_sequence = NULL`,
    [parameter],
  );
}

/** What the recompile job has to do. */
export async function writePending(
  tx: Transaction,
  project: number,
  kind: StaleKind,
  target: number,
  extent: StaleExtent = 'all',
): Promise<void> {
  await tx.run(
    `INSERT INTO pending (project, kind, target, sequence, names_sequence) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (project, kind, target) DO UPDATE SET sequence = excluded.sequence,
       names_sequence = CASE WHEN pending.names_sequence = pending.sequence THEN excluded.names_sequence END`,
    [project, STALE[kind], target, tx.sequence, extent === 'names' ? tx.sequence : null],
  );
}

function ownTags({ model, project }: ProjectTransaction, kind: StaleKind, target: number): string[] {
  switch (kind) {
    case 'project':
      return [projectTag(project.id)];
    case 'language':
      return [LANGUAGES];
    case 'type': {
      const type = model.typeByNumber.get(target);
      return type ? [TYPES, typeTag(type.codename)] : [];
    }
    default:
      return [];
  }
}
