import {
  type Folder,
  type FolderChange,
  type FolderTree,
  isFilled,
  isFolder,
  loadFolders,
  replaceFolders,
} from '../../assets/folders.ts';
import { ServiceError } from '../../errors.ts';
import { preconditionFailed } from '../../http/conditional.ts';
import { arrayOf, closed, flag, id, oneOf, open, schema, text, time } from '../../http/openapi-shapes.ts';
import { WHOLE } from '../../http/route.ts';
import { invalidBody, type JsonObject } from '../../json-body/parse-body.ts';
import { Issues } from '../../model/issues.ts';
import { flatten } from '../../model/load-model.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import type { ProjectView } from '../../transaction/project-view.ts';
import { Fields, withIssues } from '../fields.ts';
import { reference } from '../management-schemas.ts';
import { answersCreated, type Route, routesOf } from '../route.ts';
import {
  applyAll,
  asOperations,
  insertInto,
  NOT_FOUND,
  type PatchOperation,
  readOperations,
  refuseOperation,
  unknownOperation,
} from './patch.ts';

const route = routesOf('Assets and files', { read: 'view-content', write: 'edit-content' });
const folders = schema('ManagedFolders');

export const folderRoutes: readonly Route[] = [
  route('GET folders', {
    id: 'getFolders',
    tagged: WHOLE,
    summary: 'Read the folders of assets',
    answers: { 200: { schema: folders } },
    handler: (call) =>
      call.read(async (view) => ({ status: 200, body: toTreeJson(await loadFolders(view)) })),
  }),
  route('POST folders', {
    id: 'postFolders',
    summary: 'Add folders',
    body: schema('ManagedFoldersInput'),
    answers: answersCreated(folders),
    handler: async (call) => {
      const body = (await call.body()).object();
      return call.write(async (transaction) => {
        const issues = new Issues();
        const fields = new Fields(issues, body);
        fields.require('folders');
        const added = (fields.list('folders') ?? []).map(readFolder);
        const { folders } = await loadFolders(transaction);
        const tree = await withIssues(issues, () => appendFolders(transaction, folders, added));
        return { status: 201, location: `${call.base}/folders`, body: toTreeJson(tree) };
      });
    },
  }),
  route('PATCH folders', {
    id: 'patchFolders',
    summary: 'Change folders',
    body: schema('ManagedFolderOperations'),
    answers: { 200: { schema: folders } },
    handler: async (call) => {
      const operations = readOperations((await call.body()).array());
      return call.write(async (transaction) => {
        const draft = structuredClone((await loadFolders(transaction)).folders) as FolderPart[];
        let tree: FolderTree | undefined;
        await applyAll(operations, async (operation) => {
          await applyOperation(transaction, draft, operation);
          tree = await asOperations(
            () => replaceFolders(transaction, draft),
            () => operation.index,
          );
          // New folders have their ids now.
          draft.splice(0, draft.length, ...(structuredClone(tree.folders) as FolderPart[]));
        });
        return { status: 200, body: toTreeJson(tree ?? (await loadFolders(transaction))) };
      });
    },
  }),
];

/** Issues get their paths in the body, where the list starts with the first new folder. */
async function appendFolders(
  transaction: ProjectTransaction,
  before: readonly Folder[],
  added: readonly FolderPart[],
): Promise<FolderTree> {
  try {
    return await replaceFolders(transaction, [...before, ...added]);
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.validationErrors) throw error;
    const issues = error.validationErrors.map(({ message, path }) => ({
      message,
      path: (path ?? '').replace(/^folders\[(\d+)\]/, (_, at) => `folders[${Number(at) - before.length}]`),
    }));
    throw invalidBody(issues, error);
  }
}

interface FolderPart extends FolderChange {
  name: string;
  folders: FolderPart[];
}

async function applyOperation(
  view: ProjectView,
  draft: FolderPart[],
  operation: PatchOperation,
): Promise<void> {
  const { fields, op } = operation;
  const reference = fields.raw('reference') == null ? undefined : fields.reference('reference');
  const folder = reference && flatten(draft, (one) => one.folders).find((one) => isFolder(one, reference));
  if (fields.raw('reference') != null && !folder) refuseOperation(operation, NOT_FOUND, 'reference');
  const list = folder?.folders ?? draft;
  switch (op) {
    case 'addinto': {
      const value = readValue(operation);
      insertInto<FolderPart>(operation, list, value, isFolder);
      return;
    }
    case 'rename': {
      if (!folder) refuseOperation(operation, 'A reference to a folder is expected.');
      const value = fields.raw('value');
      // One published client can only send the name inside an object.
      const name = typeof value === 'object' && value !== null ? (value as { name?: unknown }).name : value;
      if (typeof name !== 'string') refuseOperation(operation, 'The value must be the new name.', 'value');
      folder.name = name;
      return;
    }
    case 'remove':
      if (!folder) refuseOperation(operation, 'A reference to a folder is expected.');
      if (mustBeEmpty(operation) && (await isFilled(view, folder)))
        throw preconditionFailed('There is something in the folder');
      removeFrom(draft, folder);
      return;
    default:
      unknownOperation(operation, 'addInto, remove and rename');
  }
}

function mustBeEmpty(operation: PatchOperation): boolean {
  const given = operation.fields.raw('if_empty') ?? false;
  if (typeof given !== 'boolean') refuseOperation(operation, 'true or false is expected.', 'if_empty');
  return given;
}

function readValue(operation: PatchOperation): FolderPart {
  const issues = new Issues();
  const value = readFolder(new Fields(issues, operation.fields.raw('value'), `[${operation.index}].value`));
  issues.refuse();
  return value;
}

function removeFrom(list: FolderPart[], folder: FolderPart): void {
  const at = list.indexOf(folder);
  if (at >= 0) list.splice(at, 1);
  else for (const inner of list) removeFrom(inner.folders, folder);
}

function readFolder(fields: Fields): FolderPart {
  return {
    name: fields.text('name') ?? '',
    external_id: fields.text('external_id'),
    folders: (fields.list('folders') ?? []).map(readFolder),
  };
}

/** Clients need a date, also while the project has no folders. */
function toTreeJson({ folders, lastModified }: FolderTree): JsonObject {
  return {
    last_modified: lastModified ?? '1970-01-01T00:00:00.0000000Z',
    folders: folders.map(toFolderJson),
  };
}

function toFolderJson({ id, name, external_id, folders }: Folder): JsonObject {
  return {
    id,
    name,
    ...(external_id !== undefined && { external_id }),
    folders: folders.map(toFolderJson),
  };
}

export const folderSchemas = {
  ManagedFolder: closed(
    {
      id: id('Id.'),
      name: text('Name.'),
      external_id: text('External id; absent when it has none.'),
      folders: arrayOf(schema('ManagedFolder'), 'Folders inside.'),
    },
    'A folder of assets.',
    ['external_id'],
  ),
  ManagedFolders: closed(
    {
      last_modified: time('Last change.'),
      folders: arrayOf(schema('ManagedFolder'), 'Folders at the top.'),
    },
    'All folders.',
  ),
  ManagedFolderInput: open(
    {
      name: text('At most 250 characters.'),
      external_id: text('External id.'),
      folders: arrayOf(schema('ManagedFolderInput'), 'Folders inside.'),
    },
    'A folder to be created.',
    ['name'],
  ),
  ManagedFoldersInput: open(
    { folders: arrayOf(schema('ManagedFolderInput'), 'Folders at the top.') },
    'Folders to be created beside the existing ones.',
    ['folders'],
  ),
  ManagedFolderOperations: arrayOf(
    open(
      {
        op: oneOf(['addInto', 'remove', 'rename'], 'Operation.'),
        reference,
        value: { description: 'A folder, or the new name.' },
        before: reference,
        after: reference,
        if_empty: flag(
          'A folder is removed only while nothing is in it; else the whole call is refused (412).',
        ),
      },
      'One operation; at the top when it has no reference.',
      ['op'],
    ),
    'Operations in order.',
  ),
};
