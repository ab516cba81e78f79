import type { ContentType, Field } from '../model/model.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { markStale } from './mark-stale.ts';

/** Marks the documents of a type as stale as far as its change is one of what they show. */
export async function markFieldsStale(
  transaction: ProjectTransaction,
  before: ContentType,
  after: ContentType,
): Promise<void> {
  const isSame = before.codename === after.codename && sameFields(before.fields, after.fields, definitionOf);
  if (!isSame) return markStale(transaction, 'type', after.number);
  if (!sameFields(before.fields, after.fields, namesOf))
    await markStale(transaction, 'type', after.number, { extent: 'names' });
}

function sameFields(
  before: readonly Field[],
  after: readonly Field[],
  partOf: (field: Field) => unknown,
): boolean {
  return (
    before.length === after.length &&
    before.every((field, index) => JSON.stringify(partOf(field)) === JSON.stringify(partOf(after[index]!)))
  );
}

function namesOf({ codename, element }: Field): unknown {
  return [codename, element.name];
}

/** Without what documents do not show, and without names. Limits stay: lists name items that lack required values. */
function definitionOf({ snippet, element }: Field): unknown {
  const { name, codename, guidelines, external_id, content_group, ...definition } = element;
  return [snippet, definition];
}
