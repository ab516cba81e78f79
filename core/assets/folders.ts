import type { Reference } from '../content/inputs.ts';
import { Issues, listOf } from '../content/issues.ts';
import { flatten } from '../content/load-model.ts';
import { Naming } from '../content/naming.ts';
import { checkTreeLevels } from '../content/tree-levels.ts';
import type { ProjectTransaction } from '../project-transaction.ts';
import type { ProjectView } from '../project-view.ts';

const NAME_LIMIT = 250;
const FOLDER_LIMIT = 5000;
/** Stands for "in no folder". */
export const TOP_LEVEL = '00000000-0000-0000-0000-000000000000';

/** Folders are for editors: they order assets and change nothing that readers see. */
export interface Folder {
  readonly id: string;
  readonly name: string;
  readonly external_id?: string;
  readonly folders: readonly Folder[];
}

/** One with a known id is kept and so renamed or moved; others are new. */
export interface FolderChange {
  readonly id?: string;
  readonly name: string;
  readonly external_id?: string;
  readonly folders?: readonly FolderChange[];
}

export interface FolderTree {
  readonly folders: readonly Folder[];
  /** ISO time; null: there never were any. */
  readonly lastModified: string | null;
}

export async function loadFolders({ tx, project }: ProjectView): Promise<FolderTree> {
  const row = await tx.get<{ asset_folders: string; folders_changed: string | null }>(
    'SELECT asset_folders, folders_changed FROM project WHERE number = ?',
    [project.number],
  );
  return { folders: JSON.parse(row?.asset_folders ?? '[]'), lastModified: row?.folders_changed ?? null };
}

/** Puts a new tree in the place of the old one; assets of a folder that is gone come to the top level. */
export async function replaceFolders(
  session: ProjectTransaction,
  changes: readonly FolderChange[],
): Promise<FolderTree> {
  const before = await loadFolders(session);
  const issues = new Issues();
  const known = flatten(before.folders, (folder) => folder.folders);
  const folders = nameFolders(session, issues, changes, known);
  issues.refuse();
  const text = JSON.stringify(folders);
  if (text === JSON.stringify(before.folders)) return before;
  await session.tx.run('UPDATE project SET asset_folders = ?, folders_changed = ? WHERE number = ?', [
    text,
    session.now,
    session.project.number,
  ]);
  const left = new Set(flatten(folders, (folder) => folder.folders).map((folder) => folder.id));
  const gone = known.flatMap((folder) => (left.has(folder.id) ? [] : [folder.id]));
  if (gone.length > 0) {
    const { text: among, parameter } = session.tx.among('folder', gone);
    await session.tx.run(`UPDATE asset SET folder = NULL WHERE project = ? AND ${among}`, [
      session.project.number,
      parameter,
    ]);
  }
  session.change('asset_folders', 'upsert', session.project.id, ['folders']);
  return { folders, lastModified: session.now };
}

/**
 * @param keepsIds see `NamingRules`
 * @throws invalidBody for what is no tree; what is wrong inside one goes to `issues`
 */
export function nameFolders(
  session: ProjectTransaction,
  issues: Issues,
  changes: readonly FolderChange[],
  known: readonly Folder[],
  keepsIds = false,
): Folder[] {
  const shape = new Issues();
  const list = (folders: readonly FolderChange[] | undefined) => listOf(shape, folders, 'folders');
  const all = flatten(list(changes), (folder) => list(folder.folders));
  if (all.length > FOLDER_LIMIT) shape.add(`There can be at most ${FOLDER_LIMIT} folders.`, 'folders');
  shape.refuse();
  checkTreeLevels(shape, changes, (folder) => folder.folders ?? [], 'folders');
  shape.refuse();
  // Folders have no codename in front of callers; theirs only tells them apart here.
  const naming = new Naming(
    session,
    issues,
    { kind: 'folder', nameLimit: NAME_LIMIT, keepsIds },
    known.map((folder) => ({ ...folder, codename: folder.id })),
  );
  let named = 0;
  const build = (inputs: readonly FolderChange[], path: string): Folder[] =>
    inputs.map((input, index) => {
      const at = `${path}[${index}]`;
      const own = keepsIds ? { ...input, codename: `f${named++}` } : input;
      const { codename: _own, ...folder } = naming.name(own, at);
      return { ...folder, folders: build(input.folders ?? [], `${at}.folders`) };
    });
  return build(changes, 'folders');
}

export function findFolder(tree: FolderTree, reference: Reference): Folder | undefined {
  return flatten(tree.folders, (folder) => folder.folders).find((folder) => isFolder(folder, reference));
}

/** Folders are referred to by id or external id. */
export function isFolder(folder: Pick<FolderChange, 'id' | 'external_id'>, reference: Reference): boolean {
  if (reference.id !== undefined) return folder.id === reference.id.toLowerCase();
  return reference.external_id !== undefined && folder.external_id === reference.external_id;
}
