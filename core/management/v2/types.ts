import { createType, deleteType, updateType } from '../../content/types.ts';
import { type ErrorName, ServiceError } from '../../errors.ts';
import { arrayOf, closed, id, open, schema, text } from '../../http/openapi-shapes.ts';
import type { Reference } from '../../model/inputs.ts';
import { Issues } from '../../model/issues.ts';
import type { ContentType } from '../../model/model.ts';
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
import { readDefinition, toTypeJson, withoutIds } from './type-json.ts';

export const typeRoutes = modelRoutes({
  one: 'type',
  many: 'types',
  label: 'content type',
  permission: 'manage-types',
  schemas: 'ManagedType',
  operations: schema('ManagedDefinitionOperations'),
  list: listTypes,
  add: addType,
  get: getType,
  modify: modifyType,
  remove: removeType,
});

function listTypes(call: Call): Promise<Answer> {
  return call.read(async ({ model }) => pageOf(call, 'types', model.types, toTypeJson));
}

async function addType(call: Call): Promise<Answer> {
  const body = (await call.body()).object();
  return call.write(async (transaction) => {
    const issues = new Issues();
    const input = withoutIds(await readDefinition(new Fields(issues, body)));
    const type = await withIssues(issues, () => createType(transaction, input));
    return { status: 201, location: `${call.base}/types/${type.id}`, body: toTypeJson(type) };
  });
}

function getType(call: Call): Promise<Answer> {
  return call.read(async (view) => ({
    status: 200,
    body: toTypeJson(typeAt(view, referenceAt(call, 'type'), 'objectNotFound')),
  }));
}

async function modifyType(call: Call): Promise<Answer> {
  const operations = readOperations((await call.body()).array());
  return call.write(async (transaction) => {
    const before = typeAt(transaction, referenceAt(call, 'type'), 'taxonomyGroupNotFound');
    return { status: 200, body: toTypeJson(await patchType(transaction, before, operations)) };
  });
}

export function patchType(
  transaction: ProjectTransaction,
  before: ContentType,
  operations: readonly PatchOperation[],
): Promise<ContentType> {
  return applyToDraft(operations, new DefinitionDraft(before, transaction.model), async (fields) => {
    const changes = await readDefinition(fields);
    return withIssues(fields.issues, () => updateType(transaction, { id: before.id }, changes));
  });
}

function removeType(call: Call): Promise<Answer> {
  return call.write(async (transaction) => {
    const type = typeAt(transaction, referenceAt(call, 'type'), 'objectNotFound');
    await deleteType(transaction, { id: type.id });
    return { status: 204 };
  });
}

/** The error code for a missing type depends on the call. */
function typeAt({ model }: ProjectView, reference: Reference, missing: ErrorName): ContentType {
  const type = findReferred(model.types, reference);
  if (!type) throw new ServiceError(missing, `There is no content type with ${describe(reference)}.`);
  return type;
}

export const typeSchemas = {
  ManagedContentGroup: closed(
    { id: id('Id.'), name: text('Name.'), codename: text('Codename.'), external_id: text('External id.') },
    'A group of elements.',
    ['external_id'],
  ),
  ManagedType: closed<keyof ReturnType<typeof toTypeJson>>(
    {
      ...commonProperties,
      content_groups: arrayOf(schema('ManagedContentGroup'), 'Groups; empty when there are none.'),
      elements: arrayOf(schema('ManagedElement'), 'Elements in order.'),
    },
    'A content type.',
    ['external_id'],
  ),
  ManagedTypePage: pageSchema('types', schema('ManagedType'), 'One page.'),
  ManagedTypeInput: open(
    {
      ...commonInput,
      content_groups: arrayOf(open(commonInput, 'A group.', ['name']), 'Groups.'),
      elements: arrayOf(schema('ManagedElementInput'), 'Elements in order.'),
    },
    'A content type to be created.',
    ['name', 'elements'],
  ),
};
