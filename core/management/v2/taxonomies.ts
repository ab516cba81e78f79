import {
  archiveTaxonomy,
  createTaxonomy,
  findTaxonomy,
  type TermChange,
  updateTaxonomy,
} from '../../content/taxonomies.ts';
import type { JsonObject } from '../../json-body/parse-body.ts';
import type { Reference } from '../../model/inputs.ts';
import { Issues } from '../../model/issues.ts';
import type { TaxonomyGroup, Term } from '../../model/model.ts';
import { type Call, referenceAt } from '../call.ts';
import { Fields, withFindings } from '../fields.ts';
import { pageOf } from '../paging.ts';
import { type Answer, type Route, route } from '../route.ts';
import { applyAll, asOperations, readOperations } from './patch.ts';
import { TaxonomyDraft } from './patch-taxonomy.ts';

export const taxonomyRoutes: readonly Route[] = [
  route('GET', 'taxonomies', listTaxonomies),
  route('POST', 'taxonomies', addTaxonomy),
  route('GET', 'taxonomies/<taxonomy>', getTaxonomy),
  route('PATCH', 'taxonomies/<taxonomy>', modifyTaxonomy),
  route('DELETE', 'taxonomies/<taxonomy>', removeTaxonomy),
];

function listTaxonomies(call: Call): Promise<Answer> {
  return call.read(async ({ model }) => pageOf(call, 'taxonomies', model.taxonomies, toTaxonomyJson));
}

async function addTaxonomy(call: Call): Promise<Answer> {
  const body = (await call.body()).object();
  return call.write(async (transaction) => {
    const issues = new Issues();
    const input = withoutIds(await readTaxonomy(new Fields(issues, body)));
    const group = await withFindings(issues, () => createTaxonomy(transaction, input));
    return { status: 201, location: `${call.base}/taxonomies/${group.id}`, body: toTaxonomyJson(group) };
  });
}

function getTaxonomy(call: Call): Promise<Answer> {
  const reference = referenceAt(call, 'taxonomy');
  return call.read(async (view) => ({ status: 200, body: toTaxonomyJson(findTaxonomy(view, reference)) }));
}

async function modifyTaxonomy(call: Call): Promise<Answer> {
  const operations = readOperations((await call.body()).array());
  return call.write(async (transaction) => {
    const before = findTaxonomy(transaction, referenceAt(call, 'taxonomy'));
    const draft = new TaxonomyDraft(before);
    await applyAll(operations, (operation) => draft.apply(operation));
    const group = await asOperations(
      async () => {
        const issues = new Issues();
        const changes = await readTaxonomy(new Fields(issues, draft.finished()));
        return withFindings(issues, () => updateTaxonomy(transaction, { id: before.id }, changes));
      },
      (path) => draft.operationOf(path),
    );
    return { status: 200, body: toTaxonomyJson(group) };
  });
}

/** Refused while an element of a type or snippet is of the group. */
function removeTaxonomy(call: Call): Promise<Answer> {
  const reference: Reference = referenceAt(call, 'taxonomy');
  return call.write(async (transaction) => {
    await archiveTaxonomy(transaction, reference);
    return { status: 204 };
  });
}

function readTaxonomy(fields: Fields): Promise<TermChange> {
  fields.require('terms');
  return readTerm(fields);
}

async function readTerm(fields: Fields): Promise<TermChange> {
  return {
    id: fields.text('id'),
    name: fields.text('name') ?? '',
    codename: fields.identifier('codename'),
    external_id: fields.identifier('external_id'),
    terms: (await fields.each('terms', readTerm)) ?? [],
  };
}

/** What is made anew gets new ids, whatever the caller copied it from. */
function withoutIds(term: TermChange): TermChange {
  return { ...term, id: undefined, terms: (term.terms ?? []).map(withoutIds) };
}

function toTaxonomyJson(group: TaxonomyGroup): JsonObject {
  return {
    last_modified: group.lastModified,
    name: group.name,
    ...(group.externalId !== null && { external_id: group.externalId }),
    terms: group.terms.map(toTermJson),
    id: group.id,
    codename: group.codename,
  };
}

function toTermJson({ id, name, codename, external_id, terms }: Term): JsonObject {
  return {
    name,
    ...(external_id !== undefined && { external_id }),
    terms: terms.map(toTermJson),
    id,
    codename,
  };
}
