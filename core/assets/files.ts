import { ServiceError } from '../errors.ts';
import { uprightSource } from '../images/image-source.ts';
import { Issues } from '../model/issues.ts';
import { isLongerThan } from '../model/text-length.ts';
import type { Blobs, StoredBlob } from '../storage/blobs/blobs.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { type ContentFacts, ContentReader, storeFacts } from './content-facts.ts';

const NAME_LIMIT = 200;

/** An uploaded file; URLs of assets contain its id. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly size: number;
  readonly hash: string;
  /** Pixels of the upright image, as browsers show it; null when it is no image of a known format. */
  readonly width: number | null;
  readonly height: number | null;
}

export interface FileContent extends StoredBlob {
  readonly facts: ContentFacts;
}

/**
 * Stores the bytes, outside of any transaction, so that a slow upload does not block other writers. An interrupted
 * upload leaves nothing.
 * @param length declared number of bytes
 * @throws badRequest for another number of bytes
 */
export async function receiveFile(
  blobs: Blobs,
  content: AsyncIterable<Uint8Array> | Uint8Array,
  length?: number,
): Promise<FileContent> {
  const reader = new ContentReader();
  const pieces = content instanceof Uint8Array ? [content] : content;
  const blob = await blobs.put(passing(pieces, reader, length));
  return { ...blob, facts: reader.facts };
}

/**
 * Checks an upload before its bytes arrive.
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

/** Adds received bytes to the project as a file. */
export async function addFile(
  transaction: ProjectTransaction,
  file: { readonly name: string; readonly type: string; readonly content: FileContent },
): Promise<StoredFile> {
  const { name, type, content } = file;
  checkUpload(file);
  const image = content.facts.image && uprightSource(content.facts.image);
  const stored: StoredFile = {
    id: transaction.newId(),
    name,
    type: (type.split(';')[0] as string).trim().toLowerCase(),
    size: content.size,
    hash: content.hash,
    width: image?.width ?? null,
    height: image?.height ?? null,
  };
  await transaction.tx.insert(
    'file',
    ['id', 'project', 'name', 'hash', 'size', 'type', 'width', 'height', 'created'],
    [
      [
        stored.id,
        transaction.project.number,
        stored.name,
        stored.hash,
        stored.size,
        stored.type,
        stored.width,
        stored.height,
        transaction.now,
      ],
    ],
  );
  await storeFacts(transaction.tx, content.hash, content.facts);
  return stored;
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

/** The name becomes part of a URL path. */
function checkFileName(issues: Issues, name: string): void {
  if (name.trim() === '' || name === '.' || name === '..') issues.add('The file needs a name.', 'name');
  else if (isLongerThan(name, NAME_LIMIT))
    issues.add(`The file name has at most ${NAME_LIMIT} characters.`, 'name');
  else if (/[/\\]|\p{Cc}/u.test(name)) {
    issues.add('The file name must not hold slashes or control characters.', 'name');
  }
}

async function* passing(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  reader: ContentReader,
  length: number | undefined,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const chunk of content) {
    reader.write(chunk);
    passed += chunk.byteLength;
    if (length !== undefined && passed > length) break;
    yield chunk;
  }
  // HTTP enforces the length, but a proxy may forward the header without the whole body.
  if (length !== undefined && passed !== length)
    throw new ServiceError(
      'badRequest',
      `The upload has ${passed < length ? 'fewer' : 'more'} bytes than its Content-Length of ${length}.`,
    );
}
