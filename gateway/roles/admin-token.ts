import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../start-error.ts';

/**
 * The bearer token of the admin API: the configured one, else that of the data folder, made on the first
 * start and readable by the service's user only.
 */
export async function adminToken(dataDir: string, configured: string | undefined): Promise<string> {
  if (configured !== undefined) return configured;
  const file = join(dataDir, 'admin-token');
  try {
    const kept = (await readFile(file, 'utf8')).trim();
    if (kept === '') throw new StartError(`${file} is empty; remove it to have a new admin token made.`);
    return kept;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof StartError) throw error;
    if (code !== 'ENOENT') throw new StartError(`${file} cannot be read: ${code}.`, { cause: error });
  }
  const made = randomBytes(32).toString('base64url');
  await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
  return made;
}

/** Compares by hash, so that neither length nor content of the token shows in the time it takes. */
export function tokenCheck(token: string): (presented: string) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const wanted = digest(token);
  return (presented) => timingSafeEqual(digest(presented), wanted);
}
