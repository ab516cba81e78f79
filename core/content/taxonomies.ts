import { TAXONOMIES, taxonomyTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import type { Reference, TaxonomyInput, TermInput } from '../model/inputs.ts';
import { forbid, Issues } from '../model/issues.ts';
import type { ContentType, TaxonomyGroup, Term } from '../model/model.ts';
import { describe, findReferred } from '../model/reference.ts';
import { markStale } from '../read-model/mark-stale.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { insertRows } from './insert-rows.ts';
import { nameTree } from './name-tree.ts';
import { type Named, namePart, toPartRow } from './naming.ts';

export const TAXONOMY_NAMING = { kind: 'taxonomy', nameLimit: 50 };
/** Recorded answers of the original service have terms with longer names than any other object. */
const TERM_NAME_LIMIT = 200;
/** Terms of a group, at all levels; the limit of the service that clients are made for. */
const TERM_LIMIT = 1000;

/** A term in a request; a known id keeps the term and renames or moves it. */
export type TermChange = Omit<TermInput, 'terms'> & {
  readonly id?: string;
  readonly terms?: readonly TermChange[];
};

/** Deletes an archived group whose external id is used again. */
export async function createTaxonomy(
  transaction: ProjectTransaction,
  input: TaxonomyInput,
): Promise<TaxonomyGroup> {
  const issues = new Issues();
  const named = namePart(transaction, issues, TAXONOMY_NAMING, transaction.model.taxonomies, input);
  const terms = nameTerms(transaction, issues, input.terms ?? [], []);
  issues.refuse();
  if (named.external_id !== undefined)
    await transaction.tx.run('DELETE FROM taxonomy WHERE project = ? AND id = ? AND archived IS NOT NULL', [
      transaction.project.number,
      named.id,
    ]);
  await insertRows(transaction, 'taxonomy', [
    { ...toPartRow(named), terms: JSON.stringify(terms), last_modified: transaction.now, archived: null },
  ]);
  await transaction.modelChanged();
  transaction.change('taxonomy', 'create', named.id, [taxonomyTag(named.codename), TAXONOMIES]);
  return findTaxonomy(transaction, { id: named.id });
}

/** Changes the given fields; `terms` is the whole tree and removes all other terms. */
export async function updateTaxonomy(
  transaction: ProjectTransaction,
  reference: Reference,
  changes: { readonly name?: string; readonly codename?: string; readonly terms?: readonly TermChange[] },
): Promise<TaxonomyGroup> {
  const group = findTaxonomy(transaction, reference);
  const issues = new Issues();
  const named = namePart(transaction, issues, TAXONOMY_NAMING, transaction.model.taxonomies, changes, group);
  const terms =
    changes.terms === undefined
      ? group.terms
      : nameTerms(transaction, issues, changes.terms, [...group.termById.values()]);
  issues.refuse();
  const termsText = JSON.stringify(terms);
  if (
    named.name === group.name &&
    named.codename === group.codename &&
    termsText === JSON.stringify(group.terms)
  ) {
    return group;
  }
  await transaction.tx.run(
    'UPDATE taxonomy SET name = ?, codename = ?, terms = ?, last_modified = ? WHERE number = ?',
    [named.name, named.codename, termsText, transaction.now, group.number],
  );
  const tags = new Set([taxonomyTag(group.codename), taxonomyTag(named.codename), TAXONOMIES]);
  for (const type of typesOf(transaction, group)) await markStale(transaction, 'type', type.number);
  await transaction.modelChanged();
  transaction.change('taxonomy', 'upsert', group.id, [...tags]);
  return findTaxonomy(transaction, { id: group.id });
}

/** @throws domainRule while a type or snippet has an element of the group */
export async function archiveTaxonomy(transaction: ProjectTransaction, reference: Reference): Promise<void> {
  const group = findTaxonomy(transaction, reference);
  const usedBy = [
    ...typesOf(transaction, group).map((type) => `type '${type.codename}'`),
    ...transaction.model.snippets
      .filter((snippet) => snippet.elements.some((element) => isOfGroup(element, group)))
      .map((snippet) => `snippet '${snippet.codename}'`),
  ];
  if (usedBy.length > 0)
    forbid(`The taxonomy group is used by ${usedBy.join(', ')}; remove the elements first.`);
  await transaction.tx.run('UPDATE taxonomy SET archived = ? WHERE number = ?', [
    transaction.now,
    group.number,
  ]);
  await transaction.modelChanged();
  transaction.change('taxonomy', 'archive', group.id, [taxonomyTag(group.codename), TAXONOMIES]);
}

/** @throws conflict when another group has the codename now */
export async function restoreTaxonomy(transaction: ProjectTransaction, id: string): Promise<TaxonomyGroup> {
  const row = await transaction.tx.get<{ number: number; codename: string; archived: string | null }>(
    'SELECT number, codename, archived FROM taxonomy WHERE project = ? AND id = ?',
    [transaction.project.number, id],
  );
  if (!row)
    throw new ServiceError('taxonomyGroupNotFound', `There is no taxonomy group with the id '${id}'.`);
  if (row.archived === null) throw new ServiceError('conflict', 'The taxonomy group is not archived.');
  if (transaction.model.taxonomyByCodename.has(row.codename)) {
    throw new ServiceError('conflict', `Another taxonomy group has the codename '${row.codename}' now.`);
  }
  await transaction.tx.run('UPDATE taxonomy SET archived = NULL WHERE number = ?', [row.number]);
  await transaction.modelChanged();
  transaction.change('taxonomy', 'restore', id, [taxonomyTag(row.codename), TAXONOMIES]);
  return findTaxonomy(transaction, { id });
}

/** @throws taxonomyGroupNotFound */
export function findTaxonomy({ model }: ProjectView, reference: Reference): TaxonomyGroup {
  const group = findReferred(model.taxonomies, reference);
  if (!group) {
    throw new ServiceError(
      'taxonomyGroupNotFound',
      `There is no taxonomy group with ${describe(reference)}.`,
    );
  }
  return group;
}

/** Types whose items can have terms of the group, also through snippets. */
function typesOf(transaction: ProjectTransaction, group: TaxonomyGroup): ContentType[] {
  return transaction.model.types.filter((type) =>
    type.fields.some((field) => isOfGroup(field.element, group)),
  );
}

function isOfGroup(element: ContentType['elements'][number], group: TaxonomyGroup): boolean {
  return element.type === 'taxonomy' && element.taxonomy_group.id === group.id;
}

/** @param keepsIds see `NamingRules` */
export function nameTerms(
  transaction: ProjectTransaction,
  issues: Issues,
  inputs: readonly TermChange[],
  known: readonly Term[],
  keepsIds = false,
): Term[] {
  const rules = {
    kind: 'term',
    nameLimit: TERM_NAME_LIMIT,
    keepsIds,
    children: 'terms',
    limit: TERM_LIMIT,
    limited: 'A taxonomy group can have',
    toNode: (named: Named) => named,
  } as const;
  return nameTree(transaction, issues, rules, inputs, known);
}
