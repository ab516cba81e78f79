import { projectTag, TYPES, typeTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import { addFieldNumbers } from '../model/field-numbers.ts';
import type { MemberInput, Reference, TypeInput } from '../model/inputs.ts';
import { forbid, Issues } from '../model/issues.ts';
import { expandFields } from '../model/load-model.ts';
import type { ContentType, ElementDefinition } from '../model/model.ts';
import { describe, findReferred } from '../model/reference.ts';
import { markFieldsStale } from '../read-model/mark-fields-stale.ts';
import { markItemsStale } from '../read-model/mark-stale.ts';
import { readNumbers } from '../storage/listings/numbers-in-rows.ts';
import { USE } from '../storage/stale.ts';
import { seesItemsOf } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { defineGroups } from './define-groups.ts';
import { defineElements, type ElementChange } from './element-definitions.ts';
import { insertRows } from './insert-rows.ts';
import { namePart, toPartRow } from './naming.ts';

export const TYPE_NAMING = { kind: 'type', nameLimit: 50 };

export async function createType(transaction: ProjectTransaction, input: TypeInput): Promise<ContentType> {
  const { model, tx } = transaction;
  const issues = new Issues();
  const named = namePart(transaction, issues, TYPE_NAMING, model.types, input);
  const contentGroups = defineGroups(transaction, issues, named.id, input.content_groups ?? [], []);
  const elements = await defineElements(
    { transaction, issues, owner: 'type', ownerId: named.id, contentGroups },
    input.elements,
    [],
  );
  checkFields(transaction, issues, elements);
  issues.refuse();
  const fields = await addFieldNumbers(tx, {}, elements, model.snippetById);
  await insertRows(transaction, 'content_type', [
    {
      ...toPartRow(named),
      elements: JSON.stringify(elements),
      content_groups: JSON.stringify(contentGroups),
      fields: JSON.stringify(fields),
      last_modified: transaction.now,
    },
  ]);
  await transaction.modelChanged();
  transaction.change('content_type', 'create', named.id, [typeTag(named.codename), TYPES]);
  return findType(transaction, { id: named.id });
}

export interface TypeChanges {
  readonly name?: string;
  readonly codename?: string;
  readonly content_groups?: readonly MemberInput[];
  /** The whole list. Values of removed elements stay in the versions and are not shown. */
  readonly elements?: readonly ElementChange[];
}

/** Changes the given fields. */
export async function updateType(
  transaction: ProjectTransaction,
  reference: Reference,
  changes: TypeChanges,
): Promise<ContentType> {
  const type = findType(transaction, reference);
  const { tx } = transaction;
  const issues = new Issues();
  const named = namePart(transaction, issues, TYPE_NAMING, transaction.model.types, changes, type);
  const contentGroups = changes.content_groups
    ? defineGroups(transaction, issues, type.id, changes.content_groups, type.contentGroups)
    : type.contentGroups;
  const elements = changes.elements
    ? await defineElements(
        { transaction, issues, owner: 'type', ownerId: type.id, contentGroups },
        changes.elements,
        type.elements,
      )
    : withoutRemovedGroups(type.elements, new Set(contentGroups.map((group) => group.id)));
  checkFields(transaction, issues, elements);
  issues.refuse();
  const groupsText = JSON.stringify(contentGroups);
  const elementsText = JSON.stringify(elements);
  if (
    named.name === type.name &&
    named.codename === type.codename &&
    groupsText === JSON.stringify(type.contentGroups) &&
    elementsText === JSON.stringify(type.elements)
  ) {
    return type;
  }
  const row = await tx.get<{ fields: string }>('SELECT fields FROM content_type WHERE number = ?', [
    type.number,
  ]);
  const fields = await addFieldNumbers(
    tx,
    JSON.parse(row?.fields ?? '{}'),
    elements,
    transaction.model.snippetById,
  );
  await tx.run(
    `UPDATE content_type SET name = ?, codename = ?, content_groups = ?, elements = ?, fields = ?, last_modified = ?
     WHERE number = ?`,
    [
      named.name,
      named.codename,
      groupsText,
      elementsText,
      JSON.stringify(fields),
      transaction.now,
      type.number,
    ],
  );
  await transaction.modelChanged();
  const changed = findType(transaction, { id: type.id });
  await markFieldsStale(transaction, type, changed);
  // Hyperlinks show the codename of their target's type, wherever they are.
  const tags =
    named.codename === type.codename
      ? [typeTag(type.codename)]
      : [typeTag(type.codename), typeTag(named.codename), projectTag(transaction.project.id)];
  transaction.change('content_type', 'upsert', type.id, [...tags, TYPES]);
  return changed;
}

/**
 * Deletes archived items of the type too, because they cannot be restored without it. Removes it from the allowed
 * types of elements; otherwise types that allow each other could never be deleted.
 * @throws domainRule while the type has items or components
 */
export async function deleteType(transaction: ProjectTransaction, reference: Reference): Promise<void> {
  const type = findType(transaction, reference);
  const { tx } = transaction;
  const item = await tx.get<{ name: string }>(
    'SELECT name FROM item WHERE type = ? AND archived IS NULL LIMIT 1',
    [type.number],
  );
  if (item && !seesItemsOf(transaction, type.number)) forbid('The type is still used by items.');
  if (item) forbid(`The type is still used by the item '${item.name}' and maybe others.`);
  const component = await tx.get('SELECT document FROM uses WHERE kind = ? AND target = ? LIMIT 1', [
    USE.componentType,
    type.number,
  ]);
  if (component) forbid('The type is used by components in rich text.');
  const tags = await disallow(transaction, type);
  await deleteArchivedItems(transaction, type.number);
  await tx.run('DELETE FROM content_type WHERE number = ?', [type.number]);
  await transaction.modelChanged();
  transaction.change('content_type', 'archive', type.id, [typeTag(type.codename), ...tags, TYPES]);
}

/** @returns tags of the changed types */
async function disallow(transaction: ProjectTransaction, type: ContentType): Promise<string[]> {
  const tags: string[] = [];
  const without = (elements: readonly ElementDefinition[]) =>
    JSON.stringify(
      elements.map((element) => (allowsType(element, type.id) ? disallowed(element, type.id) : element)),
    );
  for (const other of transaction.model.types) {
    if (other.id === type.id || !other.elements.some((element) => allowsType(element, type.id))) continue;
    await transaction.tx.run('UPDATE content_type SET elements = ?, last_modified = ? WHERE number = ?', [
      without(other.elements),
      transaction.now,
      other.number,
    ]);
    tags.push(typeTag(other.codename));
  }
  for (const snippet of transaction.model.snippets) {
    if (!snippet.elements.some((element) => allowsType(element, type.id))) continue;
    await transaction.tx.run('UPDATE snippet SET elements = ?, last_modified = ? WHERE number = ?', [
      without(snippet.elements),
      transaction.now,
      snippet.number,
    ]);
  }
  return tags;
}

/** Keeps the rows as placeholders, because content may refer to them. */
async function deleteArchivedItems(transaction: ProjectTransaction, type: number): Promise<void> {
  const { tx } = transaction;
  const items = 'SELECT number FROM item WHERE type = ?';
  const shown = await readNumbers(tx, 'u.target', 'u.target', {
    text: `FROM (SELECT DISTINCT target FROM uses
      WHERE kind IN (${USE.linkedItem}, ${USE.hyperlink}) AND target IN (${items})) u`,
    parameters: [type],
  });
  await markItemsStale(transaction, shown);
  const variants = `SELECT number FROM variant WHERE item IN (${items})`;
  await tx.run(`DELETE FROM version WHERE variant IN (${variants})`, [type]);
  await tx.run(`DELETE FROM variant WHERE item IN (${items})`, [type]);
  await tx.run('UPDATE item SET type = NULL, name = NULL, codename = NULL, archived = NULL WHERE type = ?', [
    type,
  ]);
}

/** @throws typeNotFound */
export function findType(transaction: ProjectTransaction, reference: Reference): ContentType {
  const type = findReferred(transaction.model.types, reference);
  if (!type) throw new ServiceError('typeNotFound', `There is no content type with ${describe(reference)}.`);
  return type;
}

/** Elements of the type and of its snippets may have equal codenames. */
export function checkFields(
  transaction: ProjectTransaction,
  issues: Issues,
  elements: readonly ElementDefinition[],
): void {
  const seen = new Set<string>();
  for (const { codename } of expandFields(elements, transaction.model.snippetById, {})) {
    if (seen.has(codename)) issues.add(`Two elements would have the codename '${codename}'.`, 'elements');
    seen.add(codename);
  }
}

function withoutRemovedGroups(
  elements: readonly ElementDefinition[],
  groups: ReadonlySet<string>,
): readonly ElementDefinition[] {
  return elements.map((element) => {
    if (element.content_group === undefined || groups.has(element.content_group.id)) return element;
    const { content_group: _removed, ...rest } = element;
    return rest;
  });
}

type Allowing = Extract<ElementDefinition, { type: 'rich_text' | 'modular_content' }>;

function allowsType(element: ElementDefinition, type: string): element is Allowing {
  return (
    (element.type === 'rich_text' || element.type === 'modular_content') &&
    (element.allowed_content_types ?? []).some(({ id }) => id === type)
  );
}

function disallowed({ allowed_content_types: allowed = [], ...element }: Allowing, type: string): object {
  const others = allowed.filter(({ id }) => id !== type);
  return others.length === 0 ? element : { ...element, allowed_content_types: others };
}
