import { TYPES, typeTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import type { ProjectTransaction } from '../project-transaction.ts';
import { markStale } from '../publishing/mark-stale.ts';
import { defineElements, type ElementChange } from './element-definitions.ts';
import { addFieldNumbers } from './field-numbers.ts';
import type { Reference, SnippetInput } from './inputs.ts';
import { forbid, Issues } from './issues.ts';
import type { ContentType, Snippet } from './model.ts';
import { namePart } from './naming.ts';
import { describe, findReferred } from './reference.ts';

export const SNIPPET_NAMING = { kind: 'snippet', nameLimit: 50 };

export async function createSnippet(session: ProjectTransaction, input: SnippetInput): Promise<Snippet> {
  const { tx } = session;
  const issues = new Issues();
  const named = namePart(session, issues, SNIPPET_NAMING, session.model.snippets, input);
  const elements = await defineElements(
    { session, issues, owner: 'snippet', ownerId: named.id, contentGroups: [] },
    input.elements,
    [],
  );
  issues.refuse();
  await tx.insert(
    'snippet',
    ['number', 'project', 'id', 'name', 'codename', 'external_id', 'elements', 'last_modified'],
    [
      [
        await tx.numbers('snippet'),
        session.project.number,
        named.id,
        named.name,
        named.codename,
        named.external_id ?? null,
        JSON.stringify(elements),
        session.now,
      ],
    ],
  );
  await session.modelChanged();
  session.change('snippet', 'create', named.id, []);
  return findSnippet(session, { id: named.id });
}

/** Changes what is given; every type that holds the snippet changes with it. */
export async function updateSnippet(
  session: ProjectTransaction,
  reference: Reference,
  changes: {
    readonly name?: string;
    readonly codename?: string;
    readonly elements?: readonly ElementChange[];
  },
): Promise<Snippet> {
  const snippet = findSnippet(session, reference);
  const issues = new Issues();
  const named = namePart(session, issues, SNIPPET_NAMING, session.model.snippets, changes, snippet);
  const elements = changes.elements
    ? await defineElements(
        { session, issues, owner: 'snippet', ownerId: snippet.id, contentGroups: [] },
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
  await session.tx.run(
    'UPDATE snippet SET name = ?, codename = ?, elements = ?, last_modified = ? WHERE number = ?',
    [named.name, named.codename, elementsText, session.now, snippet.number],
  );
  await session.modelChanged();
  const types = typesHolding(session, snippet);
  await renumber(session, types);
  const tags = types.map((type) => typeTag(type.codename));
  session.change('snippet', 'upsert', snippet.id, [...tags, TYPES]);
  return findSnippet(session, { id: snippet.id });
}

/** Refused while a type holds it. */
export async function deleteSnippet(session: ProjectTransaction, reference: Reference): Promise<void> {
  const snippet = findSnippet(session, reference);
  const types = typesHolding(session, snippet).map((type) => `'${type.codename}'`);
  if (types.length > 0) forbid(`The snippet is used by the types ${types.join(', ')}.`);
  await session.tx.run('DELETE FROM snippet WHERE number = ?', [snippet.number]);
  await session.modelChanged();
  session.change('snippet', 'archive', snippet.id, []);
}

/** @throws snippetNotFound */
export function findSnippet(session: ProjectTransaction, reference: Reference): Snippet {
  const snippet = findReferred(session.model.snippets, reference);
  if (!snippet) throw new ServiceError('snippetNotFound', `There is no snippet with ${describe(reference)}.`);
  return snippet;
}

/** Numbers for elements the snippet brought along, and the types' documents out of date. */
async function renumber(session: ProjectTransaction, types: readonly ContentType[]): Promise<void> {
  const { tx, model } = session;
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
      session.now,
      type.number,
    ]);
    await markStale(session, 'type', type.number);
  }
  if (types.length > 0) await session.modelChanged();
}

function typesHolding(session: ProjectTransaction, snippet: Snippet): ContentType[] {
  return session.model.types.filter((type) =>
    type.elements.some((element) => element.type === 'snippet' && element.snippet.id === snippet.id),
  );
}
