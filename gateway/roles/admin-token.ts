import { randomBytes, randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SECRET_TOKEN, SECRET_TOKEN_RULE } from '../../config/secret-token.ts';
import { StartError } from '../../config/start-error.ts';
import type { AdminToken } from '../../core/access/admin-token.ts';
import { ServiceError, tokenHash } from '../../core/contract.ts';

/**
 * The bearer token of the admin API: the configured one, else that of the data folder, which the first start makes
 * and only the service's user can read.
 */
export function adminToken(dataDir: string, configured: string | undefined): AdminToken {
  if (configured !== undefined) return { find: async () => tokenHash(configured), replace: refuse };
  const file = join(dataDir, 'admin-token');
  let last: Promise<unknown> = Promise.resolve();

  async function replace<T>(store: (hash: string) => Promise<T>, current: () => Promise<string | null>) {
    const token = newToken();
    const beside = `${file}.${randomUUID()}${NEXT}`;
    await writeToken(beside, token);
    try {
      return { token, stored: await store(tokenHash(token)) };
    } finally {
      // If this cannot be read, the next start finds out.
      const valid = await current().catch(() => undefined);
      // A reader of the file sees the old token or the new one, never a part of one.
      if (valid === tokenHash(token)) await rename(beside, file);
      else if (valid !== undefined) await rm(beside, { force: true });
    }
  }

  return {
    async find(stored) {
      await settleReplacements(file, stored);
      const kept = await readToken(file);
      return kept === undefined ? undefined : tokenHash(kept);
    },
    // One after the other, so that the token in the file is the valid one.
    replace(store, current) {
      const result = last.then(() => replace(store, current));
      last = result.catch(() => {});
      return result;
    },
  };
}

/** Of a token whose replacement a crash interrupted. */
const NEXT = '.next';

/** A new token whose hash was stored gets its name; one whose hash was not is removed. */
async function settleReplacements(file: string, stored: string | null): Promise<void> {
  const names = await readdir(dirname(file));
  for (const name of names.filter((one) => one.startsWith(`${basename(file)}.`) && one.endsWith(NEXT))) {
    const beside = join(dirname(file), name);
    const token = (await readFile(beside, 'utf8')).trim();
    if (tokenHash(token) === stored) await rename(beside, file);
    else await rm(beside, { force: true });
  }
}

/**
 * Undefined where there is no file.
 *
 * @throws StartError where the file cannot be used
 */
async function readToken(file: string): Promise<string | undefined> {
  try {
    const kept = (await readFile(file, 'utf8')).trim();
    if (SECRET_TOKEN.test(kept)) return kept;
    const what = kept === '' ? 'is empty' : 'holds no admin token';
    throw new StartError(`${file} ${what}: remove it to have one made; one of your own ${SECRET_TOKEN_RULE}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof StartError) throw error;
    if (code === 'ENOENT') return undefined;
    throw new StartError(`${file} cannot be read: ${code}.`, { cause: error });
  }
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

function refuse(): Promise<never> {
  return Promise.reject(
    new ServiceError(
      'conflict',
      'The admin token comes from the settings (adminToken or HEADWATER_ADMIN_TOKEN): change it there and start the service again.',
    ),
  );
}
