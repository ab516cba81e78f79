import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { StoredBlob } from './blobs.ts';

/**
 * Writes a new file.
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
  const file: FileHandle = await open(path, 'wx');
  try {
    const write = async (chunk: Uint8Array) => {
      hash.update(chunk);
      size += chunk.byteLength;
      written(chunk.byteLength);
      await file.writeFile(chunk);
    };
    if (content instanceof Uint8Array) await write(content);
    else for await (const chunk of content) await write(chunk);
    if (isFlushed) await file.sync();
  } finally {
    await file.close();
  }
  return { hash: hash.digest('hex'), size };
}
