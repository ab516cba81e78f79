import { call } from '../../api.ts';
import { askBeforeLeaving } from '../../parts/leaving.ts';
import { retryLimited } from '../../retry-after.ts';
import { sendFile } from '../../upload.ts';
import type { ListedAsset } from './asset-data.ts';
import { Uploads } from './uploads.ts';

export interface FileReference {
  readonly id: string;
  readonly type: string;
}

/** Bytes of a file that the service accepts. */
export const MOST_BYTES = Number(document.documentElement.dataset['bodyBytes'] ?? Number.POSITIVE_INFINITY);

/** Images that the service can transform, so it must be able to read their size. */
const READABLE = /^image\/(?:png|jpeg|gif|webp)$/;

/** The browser cannot read the file: it is a folder, or was moved or changed since it was chosen. */
export class UnreadableFile extends Error {}

/** Stores a file; an asset shows it afterwards. */
export async function storeFile(
  project: string,
  file: File,
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<FileReference> {
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new UnreadableFile(file.name);
    });
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream';
  return sendFile(
    `manage/projects/${project}/files/${encodeURIComponent(file.name || 'file')}`,
    { file, type },
    progress,
    signal,
  );
}

/** Whether the service can read the file as the image that its type promises. */
export const isReadable = ({ type, image_width }: Pick<ListedAsset, 'type' | 'image_width'>): boolean =>
  !READABLE.test(type) || image_width !== null;

/** A file with the folder that its asset gets; null = none. */
class FolderFile {
  readonly file: File;
  readonly folder: string | null;

  constructor(file: File, folder: string | null) {
    this.file = file;
    this.folder = folder;
  }

  get name(): string {
    return this.file.name;
  }

  get size(): number {
    return this.file.size;
  }
}

const byProject = new Map<string, Uploads<FolderFile, FileReference>>();

/** The uploads of a project, whatever screen is shown. */
export function uploadsOf(project: string): Uploads<FolderFile, FileReference> {
  const known = byProject.get(project);
  if (known) return known;
  const uploads = new Uploads<FolderFile, FileReference>(async ({ file, folder }, done, progress, signal) => {
    done.stored ??= await retryLimited(() => storeFile(project, file, progress, signal), signal);
    const { id, type } = done.stored;
    const body = { file_reference: { id, type }, ...(folder !== null && { folder: { id: folder } }) };
    const create = () => call<ListedAsset>('POST', `manage/projects/${project}/assets`, body, signal);
    return isReadable(await retryLimited(create, signal));
  }, MOST_BYTES);
  byProject.set(project, uploads);
  askBeforeLeaving(() => uploads.isOpen);
  return uploads;
}

export function addFiles(project: string, files: readonly File[], folder: string | null): void {
  uploadsOf(project).add(files.map((file) => new FolderFile(file, folder)));
}
