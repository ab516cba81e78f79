import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SECRET_TOKEN, SECRET_TOKEN_RULE } from '../../config/secret-token.ts';
import type { AdminToken } from '../../core/access/admin-token.ts';
import { ServiceError, tokenHash } from '../../core/contract.ts';
import { StartError } from '../start-error.ts';

/**
 * The bearer token of the admin API: the configured one, else that of the data folder, which the first start makes
 * and only the service's user can read.
 *
 * @throws StartError where the file cannot be used
 */
export async function adminToken(dataDir: string, configured: string | undefined): Promise<AdminToken> {
  if (configured !== undefined) return { matches: check(configured), prepare: refuse };
  const file = join(dataDir, 'admin-token');
  let matches = check(await readOrMake(file));
  let applied: Promise<void> = Promise.resolve();
  return {
    matches: (hash) => matches(hash),
    async prepare() {
      const token = newToken();
      const beside = `${file}.${randomUUID()}.next`;
      await writeToken(beside, token);
      const apply = async () => {
        // A reader of the file sees the old token or the new one, never a part of one.
        await rename(beside, file);
        matches = check(token);
      };
      return {
        token,
        discard: () => rm(beside, { force: true }),
        // One after the other, so that the token in the file is the valid one.
        apply() {
          applied = applied.then(apply, apply);
          return applied;
        },
      };
    },
  };
}

async function readOrMake(file: string): Promise<string> {
  try {
    const kept = (await readFile(file, 'utf8')).trim();
    if (SECRET_TOKEN.test(kept)) return kept;
    const what = kept === '' ? 'is empty' : 'holds no admin token';
    throw new StartError(`${file} ${what}: remove it to have one made; one of your own ${SECRET_TOKEN_RULE}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof StartError) throw error;
    if (code !== 'ENOENT') throw new StartError(`${file} cannot be read: ${code}.`, { cause: error });
  }
  const made = newToken();
  await writeToken(file, made);
  return made;
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Readable by the service's user only; synced to the disk when it resolves. */
async function writeToken(file: string, token: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${token}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function check(token: string): (hash: string) => boolean {
  const wanted = Buffer.from(tokenHash(token));
  return (hash) => hash.length === wanted.length && timingSafeEqual(Buffer.from(hash), wanted);
}

function refuse(): Promise<never> {
  return Promise.reject(
    new ServiceError(
      'conflict',
      'The admin token comes from the settings (adminToken or HEADWATER_ADMIN_TOKEN): change it there and start the service again.',
    ),
  );
}
