import type { Operations } from '../transaction/operations.ts';
import { type AdminToken, storeAdminToken, storedAdminToken } from './admin-token.ts';

/**
 * Replaces the admin token: its hash and the record of the act are one commit.
 * @throws conflict if the settings define the token
 */
export async function replaceAdminToken({
  adminToken,
  installation,
  storage,
}: Pick<Operations, 'installation' | 'storage'> & { readonly adminToken: AdminToken }): Promise<{
  readonly token: string;
  readonly created: string;
}> {
  const { token, stored } = await adminToken.replace(
    (hash) =>
      installation(null, async ({ tx }) => {
        await storeAdminToken(tx, hash);
        return tx.now;
      }),
    () => storedAdminToken(storage.sql),
  );
  return { token, created: stored };
}
