import { type Folder, type FolderTree, loadFolders, replaceFolders } from '../../assets/folders.ts';
import { ServiceError } from '../../errors.ts';
import { arrayOf, closed, flag, id, oneOf, open, schema, text, time } from '../../http/openapi-shapes.ts';
import { WHOLE } from '../../http/route.ts';
import { invalidBody, type JsonObject } from '../../json-body/parse-body.ts';
import { Issues } from '../../model/issues.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import { Fields, withIssues } from '../fields.ts';
import { reference } from '../management-schemas.ts';
import { answersCreated, type Route, routesOf } from '../route.ts';
import { applyAll, asOperations, readOperations } from './patch.ts';
import { FolderDraft, type FolderPart, readFolder } from './patch-folders.ts';

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
        const draft = new FolderDraft((await loadFolders(transaction)).folders);
        await applyAll(operations, (operation) => draft.apply(transaction, operation));
        const tree = await asOperations(
          () => replaceFolders(transaction, draft.folders),
          (path) => draft.operationOf(path),
        );
        return { status: 200, body: toTreeJson(tree) };
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
