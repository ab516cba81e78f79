import { isSameSecret } from '../../config/is-same-secret.ts';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';

/**
 * The token of the admin API where the operator reads it: in the settings or in a file. The database has its hash, which
 * is what a presented token is compared with, so that one token is valid in every core.
 */
export interface AdminToken {
  /**
   * The hash of the operator's token; undefined where there is none yet. Completes a replacement that ended after its hash
   * was stored.
   * @param stored the hash in the database
   */
  find(stored: string | null): Promise<string | undefined>;
  /**
   * Creates a token, and shows it to the operator once its hash is stored. If `store` fails, the old token stays.
   * @param current reads the hash in the database, for a `store` whose outcome is unknown
   * @throws conflict if the settings define the token
   */
  replace<T>(
    store: (hash: string) => Promise<T>,
    current: () => Promise<string | null>,
  ): Promise<{ readonly token: string; readonly stored: T }>;
}

/** For a core without an admin API. */
export const NO_ADMIN_TOKEN: AdminToken = {
  find: async () => undefined,
  replace: () => Promise.reject(new ServiceError('conflict', 'This process has no admin token to replace.')),
};

/** @param hash of the presented token, see `tokenHash` */
export async function isAdminToken(sql: Sql, hash: string): Promise<boolean> {
  const wanted = await storedAdminToken(sql);
  return wanted !== null && isSameSecret(hash, wanted);
}

export async function storedAdminToken(sql: Sql): Promise<string | null> {
  const row = await sql.get<{ hash: string | null }>('SELECT admin_token AS hash FROM installation');
  return row?.hash ?? null;
}

export async function storeAdminToken(tx: Transaction, hash: string): Promise<void> {
  await tx.run('UPDATE installation SET admin_token = ?', [hash]);
}
