import { open } from 'node:fs/promises';
import type { BlobRange } from './blobs.ts';

/** A part of a file in memory. */
export async function readPart(path: string, { start, end }: BlobRange): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const length = end - start + 1;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
