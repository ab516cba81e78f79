import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { writeAll } from '../write-all.ts';
import type { StoredBlob } from './blobs.ts';

/** Bytes that are written at once. A call for each chunk of a connection takes longer than the chunk takes to arrive. */
const BATCH = 512 * 1024;
/** Chunks that are written at once; the system takes no more in one call. */
const CHUNKS = 1024;

/**
 * Writes a new file. While a part of it is written, the next one arrives.
 * @param written is called with the bytes of each chunk
 */
export async function writeHashed(
  path: string,
  content: AsyncIterable<Uint8Array> | Uint8Array,
  {
    isFlushed,
    written = () => {},
  }: { readonly isFlushed: boolean; readonly written?: (bytes: number) => void },
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  let size = 0;
  let batch: Uint8Array[] = [];
  let bytes = 0;
  const file = await open(path, 'wx');
  let writing: Promise<void> = Promise.resolve();
  const writeBatch = async () => {
    await writing;
    writing = writeAll(file, batch);
    // It is thrown by the next one.
    writing.catch(() => {});
    batch = [];
    bytes = 0;
  };
  const write = async (chunk: Uint8Array) => {
    hash.update(chunk);
    size += chunk.byteLength;
    written(chunk.byteLength);
    batch.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= BATCH || batch.length >= CHUNKS) await writeBatch();
  };
  try {
    if (content instanceof Uint8Array) await write(content);
    else for await (const chunk of content) await write(chunk);
    await writeBatch();
    await writing;
    if (isFlushed) await file.sync();
  } finally {
    await writing.catch(() => {});
    await file.close();
  }
  return { hash: hash.digest('hex'), size };
}
