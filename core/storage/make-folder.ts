import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, for its owner alone, and those above it that are missing. Fails with the reason of the file
 * system: Node's own recursive `mkdir` reports a read-only file system as ENOENT and never ends below `/proc`
 * (Node 20.20).
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const above = dirname(folder);
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    if (code !== 'ENOENT' || above === folder) throw error;
    await makeFolder(above);
    await mkdir(folder, { mode: 0o700 });
  }
}
