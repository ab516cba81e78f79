import { readFile } from 'node:fs/promises';
import type { ImageTransform } from './image-transform.ts';

/** The same transform for a host that cannot read our files. */
export async function bytesOfSource({ source, plan }: ImageTransform): Promise<ImageTransform> {
  return { source: typeof source === 'string' ? await readFile(source) : source, plan };
}
