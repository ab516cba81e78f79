import { TYPES, typeTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import { addFieldNumbers } from '../model/field-numbers.ts';
import type { Reference, SnippetInput } from '../model/inputs.ts';
import { forbid, Issues } from '../model/issues.ts';
import type { ContentType, Snippet } from '../model/model.ts';
import { describe, findReferred } from '../model/reference.ts';
import { markFieldsStale } from '../read-model/mark-fields-stale.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { defineElements, type ElementChange } from './element-definitions.ts';
import { insertRows } from './insert-rows.ts';
import { namePart, toPartRow } from './naming.ts';

export const SNIPPET_NAMING = { kind: 'snippet', nameLimit: 50 };

export async function createSnippet(transaction: ProjectTransaction, input: SnippetInput): Promise<Snippet> {
  const issues = new Issues();
  const named = namePart(transaction, issues, SNIPPET_NAMING, transaction.model.snippets, input);
  const elements = await defineElements(
    { transaction, issues, owner: 'snippet', ownerId: named.id, contentGroups: [] },
    input.elements,
    [],
  );
  issues.refuse();
  await insertRows(transaction, 'snippet', [
    { ...toPartRow(named), elements: JSON.stringify(elements), last_modified: transaction.now },
  ]);
  await transaction.modelChanged();
  transaction.change('snippet', 'create', named.id, []);
  return findSnippet(transaction, { id: named.id });
}

/** Changes the given fields, and every type that contains the snippet. */
export async function updateSnippet(
  transaction: ProjectTransaction,
  reference: Reference,
  changes: {
    readonly name?: string;
    readonly codename?: string;
    readonly elements?: readonly ElementChange[];
  },
): Promise<Snippet> {
  const snippet = findSnippet(transaction, reference);
  const issues = new Issues();
  const named = namePart(transaction, issues, SNIPPET_NAMING, transaction.model.snippets, changes, snippet);
  const elements = changes.elements
    ? await defineElements(
        { transaction, issues, owner: 'snippet', ownerId: snippet.id, contentGroups: [] },
        changes.elements,
        snippet.elements,
      )
    : snippet.elements;
  issues.refuse();
  const elementsText = JSON.stringify(elements);
  if (
    named.name === snippet.name &&
    named.codename === snippet.codename &&
    elementsText === JSON.stringify(snippet.elements)
  ) {
    return snippet;
  }
  await transaction.tx.run(
    'UPDATE snippet SET name = ?, codename = ?, elements = ?, last_modified = ? WHERE number = ?',
    [named.name, named.codename, elementsText, transaction.now, snippet.number],
  );
  const before = transaction.model.typeByNumber;
  await transaction.modelChanged();
  const types = typesWith(transaction, snippet);
  await updateFieldNumbers(transaction, before, types);
  const tags = types.map((type) => typeTag(type.codename));
  transaction.change('snippet', 'upsert', snippet.id, [...tags, TYPES]);
  return findSnippet(transaction, { id: snippet.id });
}

/** @throws domainRule while a type contains it */
export async function deleteSnippet(transaction: ProjectTransaction, reference: Reference): Promise<void> {
  const snippet = findSnippet(transaction, reference);
  const types = typesWith(transaction, snippet).map((type) => `'${type.codename}'`);
  if (types.length > 0) forbid(`The snippet is used by the types ${types.join(', ')}.`);
  await transaction.tx.run('DELETE FROM snippet WHERE number = ?', [snippet.number]);
  await transaction.modelChanged();
  transaction.change('snippet', 'archive', snippet.id, []);
}

/** @throws snippetNotFound */
function findSnippet(transaction: ProjectTransaction, reference: Reference): Snippet {
  const snippet = findReferred(transaction.model.snippets, reference);
  if (!snippet) throw new ServiceError('snippetNotFound', `There is no snippet with ${describe(reference)}.`);
  return snippet;
}

/** Numbers the fields that the snippet added to the types, and marks their documents as stale. */
async function updateFieldNumbers(
  transaction: ProjectTransaction,
  before: ReadonlyMap<number, ContentType>,
  types: readonly ContentType[],
): Promise<void> {
  const { tx, model } = transaction;
  for (const type of types) {
    const row = await tx.get<{ fields: string }>('SELECT fields FROM content_type WHERE number = ?', [
      type.number,
    ]);
    const codenames = type.fields.map((field) => field.codename);
    const twice = codenames.find((codename, index) => codenames.indexOf(codename) !== index);
    if (twice) forbid(`Two elements of the type '${type.codename}' would have the codename '${twice}'.`);
    const fields = await addFieldNumbers(
      tx,
      JSON.parse(row?.fields ?? '{}'),
      type.elements,
      model.snippetById,
    );
    await tx.run('UPDATE content_type SET fields = ?, last_modified = ? WHERE number = ?', [
      JSON.stringify(fields),
      transaction.now,
      type.number,
    ]);
    await markFieldsStale(transaction, before.get(type.number) ?? type, type);
  }
  if (types.length > 0) await transaction.modelChanged();
}

function typesWith(transaction: ProjectTransaction, snippet: Snippet): ContentType[] {
  return transaction.model.types.filter((type) =>
    type.elements.some((element) => element.type === 'snippet' && element.snippet.id === snippet.id),
  );
}
