import { TAXONOMIES, taxonomyTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import type { ProjectTransaction } from '../project-transaction.ts';
import type { ProjectView } from '../project-view.ts';
import { markStale } from '../publishing/mark-stale.ts';
import type { Reference, TaxonomyInput, TermInput } from './inputs.ts';
import { forbid, Issues, listOf } from './issues.ts';
import { flatten } from './load-model.ts';
import type { ContentType, TaxonomyGroup, Term } from './model.ts';
import { Naming, namePart } from './naming.ts';
import { describe, findReferred } from './reference.ts';
import { checkTreeLevels } from './tree-levels.ts';

export const TAXONOMY_NAMING = { kind: 'taxonomy', nameLimit: 50 };
/** Recorded answers of the original service have terms with longer names than anything else of the model. */
const TERM_NAME_LIMIT = 200;
/** Service facts 3.6. */
const TERM_LIMIT = 1000;

/** A term as a caller gives it; one with a known id is kept and so renamed or moved. */
export type TermChange = Omit<TermInput, 'terms'> & {
  readonly id?: string;
  readonly terms?: readonly TermChange[];
};

/** An archived group whose external id is used anew makes way for good. */
export async function createTaxonomy(
  session: ProjectTransaction,
  input: TaxonomyInput,
): Promise<TaxonomyGroup> {
  const issues = new Issues();
  const named = namePart(session, issues, TAXONOMY_NAMING, session.model.taxonomies, input);
  const terms = nameTerms(session, issues, input.terms ?? [], []);
  issues.refuse();
  if (named.external_id !== undefined)
    await session.tx.run('DELETE FROM taxonomy WHERE project = ? AND id = ? AND archived IS NOT NULL', [
      session.project.number,
      named.id,
    ]);
  await session.tx.insert(
    'taxonomy',
    ['number', 'project', 'id', 'name', 'codename', 'external_id', 'terms', 'last_modified'],
    [
      [
        await session.tx.numbers('taxonomy'),
        session.project.number,
        named.id,
        named.name,
        named.codename,
        named.external_id ?? null,
        JSON.stringify(terms),
        session.now,
      ],
    ],
  );
  await session.modelChanged();
  session.change('taxonomy', 'create', named.id, [taxonomyTag(named.codename), TAXONOMIES]);
  return findTaxonomy(session, { id: named.id });
}

/** Changes what is given; `terms` is the whole tree, terms that are not in it are gone. */
export async function updateTaxonomy(
  session: ProjectTransaction,
  reference: Reference,
  changes: { readonly name?: string; readonly codename?: string; readonly terms?: readonly TermChange[] },
): Promise<TaxonomyGroup> {
  const group = findTaxonomy(session, reference);
  const issues = new Issues();
  const named = namePart(session, issues, TAXONOMY_NAMING, session.model.taxonomies, changes, group);
  const terms =
    changes.terms === undefined
      ? group.terms
      : nameTerms(session, issues, changes.terms, [...group.termById.values()]);
  issues.refuse();
  const termsText = JSON.stringify(terms);
  if (
    named.name === group.name &&
    named.codename === group.codename &&
    termsText === JSON.stringify(group.terms)
  ) {
    return group;
  }
  await session.tx.run(
    'UPDATE taxonomy SET name = ?, codename = ?, terms = ?, last_modified = ? WHERE number = ?',
    [named.name, named.codename, termsText, session.now, group.number],
  );
  const tags = new Set([taxonomyTag(group.codename), taxonomyTag(named.codename), TAXONOMIES]);
  for (const type of typesOf(session, group)) await markStale(session, 'type', type.number);
  await session.modelChanged();
  session.change('taxonomy', 'upsert', group.id, [...tags]);
  return findTaxonomy(session, { id: group.id });
}

/** Takes a group out of the model; refused while a type has an element of it. */
export async function archiveTaxonomy(session: ProjectTransaction, reference: Reference): Promise<void> {
  const group = findTaxonomy(session, reference);
  const users = [
    ...typesOf(session, group).map((type) => `type '${type.codename}'`),
    ...session.model.snippets
      .filter((snippet) => snippet.elements.some((element) => isOfGroup(element, group)))
      .map((snippet) => `snippet '${snippet.codename}'`),
  ];
  if (users.length > 0)
    forbid(`The taxonomy group is used by ${users.join(', ')}; remove the elements first.`);
  await session.tx.run('UPDATE taxonomy SET archived = ? WHERE number = ?', [session.now, group.number]);
  await session.modelChanged();
  session.change('taxonomy', 'archive', group.id, [taxonomyTag(group.codename), TAXONOMIES]);
}

/** @throws conflict when another group took the codename meanwhile */
export async function restoreTaxonomy(session: ProjectTransaction, id: string): Promise<TaxonomyGroup> {
  const row = await session.tx.get<{ number: number; codename: string; archived: string | null }>(
    'SELECT number, codename, archived FROM taxonomy WHERE project = ? AND id = ?',
    [session.project.number, id],
  );
  if (!row)
    throw new ServiceError('taxonomyGroupNotFound', `There is no taxonomy group with the id '${id}'.`);
  if (row.archived === null) throw new ServiceError('conflict', 'The taxonomy group is not archived.');
  if (session.model.taxonomyByCodename.has(row.codename)) {
    throw new ServiceError('conflict', `Another taxonomy group has the codename '${row.codename}' now.`);
  }
  await session.tx.run('UPDATE taxonomy SET archived = NULL WHERE number = ?', [row.number]);
  await session.modelChanged();
  session.change('taxonomy', 'restore', id, [taxonomyTag(row.codename), TAXONOMIES]);
  return findTaxonomy(session, { id });
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

/** The types whose items can carry terms of the group, through snippets too. */
function typesOf(session: ProjectTransaction, group: TaxonomyGroup): ContentType[] {
  return session.model.types.filter((type) => type.fields.some((field) => isOfGroup(field.element, group)));
}

function isOfGroup(element: ContentType['elements'][number], group: TaxonomyGroup): boolean {
  return element.type === 'taxonomy' && element.taxonomy_group.id === group.id;
}

/** @param keepsIds see `NamingRules` */
export function nameTerms(
  session: ProjectTransaction,
  issues: Issues,
  inputs: readonly TermChange[],
  known: readonly Term[],
  keepsIds = false,
): Term[] {
  const shape = new Issues();
  const all = flatten(listOf(shape, inputs, 'terms'), (term) => listOf(shape, term.terms, 'terms'));
  if (all.length > TERM_LIMIT) shape.add(`A taxonomy group can have at most ${TERM_LIMIT} terms.`, 'terms');
  // Names are only looked at in a tree that is one.
  shape.refuse();
  checkTreeLevels(shape, inputs, (term) => term.terms ?? [], 'terms');
  shape.refuse();
  const naming = new Naming(session, issues, { kind: 'term', nameLimit: TERM_NAME_LIMIT, keepsIds }, known);
  naming.claim(all);
  const build = (terms: readonly TermChange[], path: string): Term[] =>
    terms.map((term, index) => {
      const at = `${path}[${index}]`;
      const named = naming.name(term, at);
      return { ...named, terms: build(term.terms ?? [], `${at}.terms`) };
    });
  return build(inputs, 'terms');
}
