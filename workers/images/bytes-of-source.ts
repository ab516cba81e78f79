import { readFile } from 'node:fs/promises';
import type { ImageTransform } from './image-transform.ts';

/** Replaces a file path by the bytes, for a host that cannot read local files. */
export async function bytesOfSource({ source, plan }: ImageTransform): Promise<ImageTransform> {
  return { source: typeof source === 'string' ? await readFile(source) : source, plan };
}
