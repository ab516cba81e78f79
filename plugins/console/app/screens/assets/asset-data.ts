import { useQuery } from '@tanstack/preact-query';
import { ApiError, call, callTagged, get } from '../../api.ts';
import { type TextChange, TextChanged } from './edited-text.ts';

export const KINDS = ['image', 'video', 'audio', 'document', 'other'] as const;

/** An asset as the list answers it. */
export interface ListedAsset {
  readonly id: string;
  readonly title: string | null;
  readonly file_name: string;
  /** Media type. */
  readonly type: string;
  readonly size: number;
  /** Null: it is no image that can be transformed. */
  readonly image_width: number | null;
  readonly image_height: number | null;
  readonly url: string;
  /** Id; null: in none. */
  readonly folder: string | null;
  readonly descriptions: readonly Description[];
  readonly is_used: boolean;
  readonly last_modified: string;
}

export interface Description {
  readonly language: { readonly id: string; readonly codename: string };
  readonly description: string | null;
}

export interface Folder {
  readonly id: string;
  readonly name: string;
  readonly folders: readonly Folder[];
}

export interface Leveled {
  readonly id: string;
  readonly name: string;
  readonly level: number;
}

/** Of queries: the folders of a project. */
export const FOLDERS = 'asset folders';

/** Means "in no folder" in the listing call. */
export const NO_FOLDER = '00000000-0000-0000-0000-000000000000';

export const nameOf = ({ title, file_name }: ListedAsset): string => title || file_name;

/** An image of the asset for a square of some pixels; undefined where it has none. */
export function thumbnailOf({ url, image_width }: ListedAsset, pixels: number): string | undefined {
  // Twice the size, for fine screens.
  return image_width === null ? undefined : `${url}?w=${2 * pixels}&h=${2 * pixels}&fit=crop&auto=format`;
}

export const assetPath = (project: string, id: string) => `/projects/${project}/assets/${id}`;

/** The folders of a project. */
interface Folders {
  readonly folders: readonly Folder[];
}

export const foldersPath = (project: string) => `manage/projects/${project}/folders`;

export function useFolders(project: string) {
  return useQuery({
    queryKey: [project, FOLDERS],
    queryFn: async () => leveled((await get<Folders>(foldersPath(project))).folders),
    meta: { follows: ['asset_folders'] },
  });
}

function leveled(folders: readonly Folder[], level = 0): Leveled[] {
  return folders.flatMap(({ id, name, folders: below }) => [
    { id, name, level },
    ...leveled(below, level + 1),
  ]);
}

/** Whether a folder has others in it. */
export function hasInner(folders: readonly Leveled[], folder: string): boolean {
  const at = folders.findIndex(({ id }) => id === folder);
  return (folders[at + 1]?.level ?? 0) > (folders[at]?.level ?? 0);
}

/** Folders as options of a select. */
export function folderOptions(folders: readonly Leveled[]): { value: string; text: string }[] {
  return folders.map(({ id, name, level }) => ({ value: id, text: '\u2003'.repeat(level) + name }));
}

interface ManagedAsset {
  readonly title: string | null;
  readonly descriptions: readonly Description[];
}

const MOST_ATTEMPTS = 3;

/** @throws TextChanged, ApiError */
export function saveTitle(project: string, asset: string, change: TextChange): Promise<void> {
  return saveText(project, asset, change, ({ title }) => title, { title: change[1] });
}

/** @throws TextChanged, ApiError */
export function saveDescription(
  project: string,
  asset: string,
  language: string,
  change: TextChange,
): Promise<void> {
  const stored = ({ descriptions }: ManagedAsset) =>
    descriptions.find((one) => one.language.id === language)?.description ?? null;
  const descriptions = [{ language: { id: language }, description: change[1] }];
  return saveText(project, asset, change, stored, { descriptions });
}

/** Saves one text of an asset where it is still as it was shown; other changes of the asset do not matter. */
async function saveText(
  project: string,
  asset: string,
  [shown, wanted]: TextChange,
  storedIn: (asset: ManagedAsset) => string | null,
  body: object,
): Promise<void> {
  const path = `manage/projects/${project}/assets/${asset}`;
  for (let attempt = 1; ; attempt++) {
    const { value, etag } = await callTagged<ManagedAsset>('GET', path);
    const stored = storedIn(value);
    if (stored === wanted) return;
    if (stored !== shown) throw new TextChanged(stored);
    try {
      await callTagged('PUT', path, body, { etag });
      return;
    } catch (error) {
      // Something else of the asset was changed meanwhile.
      if (!(error instanceof ApiError && error.status === 412) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** Makes a folder inside of another one, null = at the top. @returns its id */
export async function createFolder(project: string, parent: string | null, name: string): Promise<string> {
  const path = foldersPath(project);
  const before = new Set(leveled((await get<Folders>(path)).folders).map(({ id }) => id));
  const value = { name, folders: [] };
  const { folders } = await call<Folders>('PATCH', path, [
    { op: 'addInto', ...(parent !== null && { reference: { id: parent } }), value },
  ]);
  const made = leveled(folders).find((folder) => !before.has(folder.id) && folder.name === name);
  if (!made) throw new ApiError(0, 'truncated');
  return made.id;
}
