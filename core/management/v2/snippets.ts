import { createSnippet, deleteSnippet, updateSnippet } from '../../content/snippets.ts';
import { type ErrorName, ServiceError } from '../../errors.ts';
import { arrayOf, closed, open, schema } from '../../http/openapi-shapes.ts';
import type { Reference } from '../../model/inputs.ts';
import { Issues } from '../../model/issues.ts';
import type { Snippet } from '../../model/model.ts';
import { describe, findReferred } from '../../model/reference.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import type { ProjectView } from '../../transaction/project-view.ts';
import { type Call, referenceAt } from '../call.ts';
import { Fields, withIssues } from '../fields.ts';
import { pageOf as pageSchema } from '../management-schemas.ts';
import { pageOf } from '../paging.ts';
import type { Answer } from '../route.ts';
import { commonInput, commonProperties, modelRoutes } from './model-routes.ts';
import { type PatchOperation, readOperations } from './patch.ts';
import { DefinitionDraft } from './patch-definition.ts';
import { applyToDraft } from './patch-draft.ts';
import { readDefinition, toSnippetJson, withoutIds, withoutPrefixes } from './type-json.ts';

export const snippetRoutes = modelRoutes({
  one: 'snippet',
  many: 'snippets',
  label: 'content type snippet',
  permission: 'manage-types',
  schemas: 'ManagedSnippet',
  operations: schema('ManagedDefinitionOperations'),
  list: listSnippets,
  add: addSnippet,
  get: getSnippet,
  modify: modifySnippet,
  remove: removeSnippet,
});

function listSnippets(call: Call): Promise<Answer> {
  return call.read(async ({ model }) => pageOf(call, 'snippets', model.snippets, toSnippetJson));
}

async function addSnippet(call: Call): Promise<Answer> {
  const body = (await call.body()).object();
  return call.write(async (transaction) => {
    const issues = new Issues();
    const input = withoutPrefixes(withoutIds(await readDefinition(new Fields(issues, body))));
    const snippet = await withIssues(issues, () => createSnippet(transaction, input));
    return { status: 201, location: `${call.base}/snippets/${snippet.id}`, body: toSnippetJson(snippet) };
  });
}

function getSnippet(call: Call): Promise<Answer> {
  return call.read(async (view) => ({
    status: 200,
    body: toSnippetJson(snippetAt(view, referenceAt(call, 'snippet'), 'objectNotFound')),
  }));
}

async function modifySnippet(call: Call): Promise<Answer> {
  const operations = readOperations((await call.body()).array());
  return call.write(async (transaction) => {
    const before = snippetAt(transaction, referenceAt(call, 'snippet'), 'snippetNotFound');
    return { status: 200, body: toSnippetJson(await patchSnippet(transaction, before, operations)) };
  });
}

export function patchSnippet(
  transaction: ProjectTransaction,
  before: Snippet,
  operations: readonly PatchOperation[],
): Promise<Snippet> {
  return applyToDraft(operations, new DefinitionDraft(before, transaction.model), async (fields) => {
    const changes = withoutPrefixes(await readDefinition(fields), before.elements);
    return withIssues(fields.issues, () => updateSnippet(transaction, { id: before.id }, changes));
  });
}

function removeSnippet(call: Call): Promise<Answer> {
  return call.write(async (transaction) => {
    const snippet = snippetAt(transaction, referenceAt(call, 'snippet'), 'objectNotFound');
    await deleteSnippet(transaction, { id: snippet.id });
    return { status: 204 };
  });
}

/** The error code for a missing snippet depends on the call. */
export function snippetAt({ model }: ProjectView, reference: Reference, missing: ErrorName): Snippet {
  const snippet = findReferred(model.snippets, reference);
  if (!snippet)
    throw new ServiceError(missing, `There is no content type snippet with ${describe(reference)}.`);
  return snippet;
}

export const snippetSchemas = {
  ManagedSnippet: closed<keyof ReturnType<typeof toSnippetJson>>(
    { ...commonProperties, elements: arrayOf(schema('ManagedElement'), 'Elements in order.') },
    'A content type snippet.',
    ['external_id'],
  ),
  ManagedSnippetPage: pageSchema('snippets', schema('ManagedSnippet'), 'One page.'),
  ManagedSnippetInput: open(
    { ...commonInput, elements: arrayOf(schema('ManagedElementInput'), 'Elements in order.') },
    'A snippet to be created.',
    ['name', 'elements'],
  ),
};
