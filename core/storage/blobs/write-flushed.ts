import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { StoredBlob } from './blobs.ts';

/** Writes a new file and flushes it to disk. */
export async function writeFlushed(
  path: string,
  content: AsyncIterable<Uint8Array> | Uint8Array,
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  let size = 0;
  const file: FileHandle = await open(path, 'wx');
  try {
    const write = async (chunk: Uint8Array) => {
      hash.update(chunk);
      size += chunk.byteLength;
      await file.writeFile(chunk);
    };
    if (content instanceof Uint8Array) await write(content);
    else for await (const chunk of content) await write(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
  return { hash: hash.digest('hex'), size };
}
