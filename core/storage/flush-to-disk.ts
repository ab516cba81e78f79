import { open } from 'node:fs/promises';

/**
 * Resolves when a file is on the disk. A rename is, when its folder was flushed, and a new folder, when its parent was.
 */
export async function flushToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
