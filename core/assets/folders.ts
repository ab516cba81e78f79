import { nameTree } from '../content/name-tree.ts';
import type { Named } from '../content/naming.ts';
import type { Reference } from '../model/inputs.ts';
import { Issues } from '../model/issues.ts';
import { flatten } from '../model/load-model.ts';
import { requireContent } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';

const NAME_LIMIT = 250;
export const FOLDER_LIMIT = 5000;
/** Means "in no folder". */
export const TOP_LEVEL = '00000000-0000-0000-0000-000000000000';

/** Folders are for editors only; readers do not see them. */
export interface Folder {
  readonly id: string;
  readonly name: string;
  readonly external_id?: string;
  readonly folders: readonly Folder[];
}

/** A known id keeps the folder and renames or moves it; others are new. */
export interface FolderChange {
  readonly id?: string;
  readonly name: string;
  readonly external_id?: string;
  readonly folders?: readonly FolderChange[];
}

export interface FolderTree {
  readonly folders: readonly Folder[];
  /** ISO time; null: there never were folders. */
  readonly lastModified: string | null;
}

export async function loadFolders({ tx, project }: ProjectView): Promise<FolderTree> {
  const row = await tx.get<{ asset_folders: string; folders_changed: string | null }>(
    'SELECT asset_folders, folders_changed FROM project WHERE number = ?',
    [project.number],
  );
  return { folders: JSON.parse(row?.asset_folders ?? '[]'), lastModified: row?.folders_changed ?? null };
}

/** Replaces the tree; assets of removed folders move to the top level. */
export async function replaceFolders(
  transaction: ProjectTransaction,
  changes: readonly FolderChange[],
): Promise<FolderTree> {
  const before = await loadFolders(transaction);
  const issues = new Issues();
  const known = flatten(before.folders, (folder) => folder.folders);
  const folders = nameFolders(transaction, issues, changes, known);
  issues.refuse();
  const text = JSON.stringify(folders);
  if (text === JSON.stringify(before.folders)) return before;
  requireContent(transaction, 'edit-content', { type: 'all', language: 'all' });
  await transaction.tx.run('UPDATE project SET asset_folders = ?, folders_changed = ? WHERE number = ?', [
    text,
    transaction.now,
    transaction.project.number,
  ]);
  const ids = new Set(flatten(folders, (folder) => folder.folders).map((folder) => folder.id));
  const removed = known.flatMap((folder) => (ids.has(folder.id) ? [] : [folder.id]));
  if (removed.length > 0) {
    const { text: among, parameter } = transaction.tx.among('folder', removed);
    await transaction.tx.run(`UPDATE asset SET folder = NULL WHERE project = ? AND ${among}`, [
      transaction.project.number,
      parameter,
    ]);
  }
  transaction.change('asset_folders', 'upsert', transaction.project.id, ['folders']);
  return { folders, lastModified: transaction.now };
}

/** Ids of the folders with assets; deleted assets do not count. Reads all assets. */
export async function foldersWithAssets({ tx, project }: ProjectView): Promise<ReadonlySet<string>> {
  const rows = await tx.all<{ folder: string }>(
    'SELECT DISTINCT folder FROM asset WHERE project = ? AND folder IS NOT NULL AND archived IS NULL',
    [project.number],
  );
  return new Set(rows.map(({ folder }) => folder));
}

/** @param keepsIds see `NamingRules` */
export function nameFolders(
  transaction: ProjectTransaction,
  issues: Issues,
  changes: readonly FolderChange[],
  known: readonly Folder[],
  keepsIds = false,
): Folder[] {
  const rules = {
    kind: 'folder',
    nameLimit: NAME_LIMIT,
    keepsIds,
    hasCodenames: false,
    children: 'folders',
    limit: FOLDER_LIMIT,
    limited: 'There can be',
    toNode: ({ codename: _none, ...folder }: Named) => folder,
  } as const;
  const named = known.map((folder) => ({ ...folder, codename: '' }));
  return nameTree(transaction, issues, rules, changes, named);
}

export function findFolder(tree: FolderTree, reference: Reference): Folder | undefined {
  return flatten(tree.folders, (folder) => folder.folders).find((folder) => isFolder(folder, reference));
}

/** Ids of the folders and of those below them; null for `TOP_LEVEL`. Unknown ids stay: nothing is in them. */
export function foldersBelow(tree: FolderTree, ids: readonly string[]): (string | null)[] {
  return ids.flatMap((given) => {
    const id = given.toLowerCase();
    if (id === TOP_LEVEL) return [null];
    const folder = findFolder(tree, { id });
    return [id, ...flatten(folder?.folders ?? [], (one) => one.folders).map((below) => below.id)];
  });
}

/** Folders are referred to by id or external id. */
export function isFolder(folder: Pick<FolderChange, 'id' | 'external_id'>, reference: Reference): boolean {
  if (reference.id !== undefined) return folder.id === reference.id.toLowerCase();
  return reference.external_id !== undefined && folder.external_id === reference.external_id;
}
