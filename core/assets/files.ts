import { Issues } from '../content/issues.ts';
import { ServiceError } from '../errors.ts';
import type { ProjectView } from '../project-view.ts';
import type { Session } from '../session.ts';
import type { Blobs, StoredBlob } from '../storage/blobs/blobs.ts';
import { IMAGE_HEAD_BYTES, type ImageSize, imageSize } from './image-size.ts';

const NAME_LIMIT = 200;

/** An uploaded file; assets refer to it and its id is in their address. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly size: number;
  readonly hash: string;
  /** Pixels; null when it is no image of a known kind. */
  readonly width: number | null;
  readonly height: number | null;
}

export interface FileContent extends StoredBlob {
  readonly image: ImageSize | undefined;
}

/** Stores the bytes. Done before the transaction, so that a slow upload never holds up other writers. */
export async function receiveFile(
  blobs: Blobs,
  content: AsyncIterable<Uint8Array> | Uint8Array,
): Promise<FileContent> {
  if (content instanceof Uint8Array) return { ...(await blobs.put(content)), image: imageSize(content) };
  const head: Uint8Array[] = [];
  const blob = await blobs.put(keepHead(content, head));
  return { ...blob, image: imageSize(Buffer.concat(head)) };
}

/**
 * What can be told before the bytes come.
 * @throws uploadWithoutType (205), invalidBody for a name that cannot be one
 */
export function checkUpload({ name, type }: { readonly name: string; readonly type: string }): void {
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/.test(type)) {
    throw new ServiceError(
      'uploadWithoutType',
      'The upload needs a Content-Type with the media type of the file.',
    );
  }
  const issues = new Issues();
  checkFileName(issues, name);
  issues.refuse();
}

/** Makes the received bytes a file of the project. */
export async function addFile(
  session: Session,
  file: { readonly name: string; readonly type: string; readonly content: FileContent },
): Promise<StoredFile> {
  const { name, type, content } = file;
  checkUpload(file);
  const stored: StoredFile = {
    id: session.newId(),
    name,
    type: (type.split(';')[0] as string).trim().toLowerCase(),
    size: content.size,
    hash: content.hash,
    width: content.image?.width ?? null,
    height: content.image?.height ?? null,
  };
  await session.tx.insert(
    'file',
    ['id', 'project', 'name', 'hash', 'size', 'type', 'width', 'height', 'created'],
    [
      [
        stored.id,
        session.project.number,
        stored.name,
        stored.hash,
        stored.size,
        stored.type,
        stored.width,
        stored.height,
        session.now,
      ],
    ],
  );
  return stored;
}

/** Both at once, for content that is at hand. */
export async function storeFile(
  session: Session,
  blobs: Blobs,
  file: {
    readonly name: string;
    readonly type: string;
    readonly content: AsyncIterable<Uint8Array> | Uint8Array;
  },
): Promise<StoredFile> {
  return addFile(session, { ...file, content: await receiveFile(blobs, file.content) });
}

/** @throws objectNotFound */
export async function findFile(view: ProjectView, id: string): Promise<StoredFile> {
  const file = await fileOf(view, id);
  if (!file) throw new ServiceError('objectNotFound', `There is no file with the id '${id}'.`);
  return file;
}

export function fileOf({ tx, project }: ProjectView, id: string): Promise<StoredFile | undefined> {
  return tx.get<StoredFile>(
    'SELECT id, name, type, size, hash, width, height FROM file WHERE project = ? AND id = ?',
    [project.number, id.toLowerCase()],
  );
}

/** The name ends up in a path of an address, so nothing that means something there is let in. */
function checkFileName(issues: Issues, name: string): void {
  if (name.trim() === '' || name === '.' || name === '..') issues.add('The file needs a name.', 'name');
  else if (name.length > NAME_LIMIT)
    issues.add(`The file name has at most ${NAME_LIMIT} characters.`, 'name');
  else if (/[/\\]|\p{Cc}/u.test(name)) {
    issues.add('The file name must not hold slashes or control characters.', 'name');
  }
}

async function* keepHead(content: AsyncIterable<Uint8Array>, head: Uint8Array[]): AsyncGenerator<Uint8Array> {
  let kept = 0;
  for await (const chunk of content) {
    if (kept < IMAGE_HEAD_BYTES) {
      head.push(chunk);
      kept += chunk.byteLength;
    }
    yield chunk;
  }
}
