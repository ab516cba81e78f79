import type { Operations } from '../transaction/operations.ts';
import type { AdminToken } from './admin-token.ts';

/**
 * Puts a new admin token in force. The act goes on record before that: a token in force without a record would be
 * worse than a record without one.
 *
 * @throws conflict where the token comes from the settings
 */
export async function replaceAdminToken({
  adminToken,
  installation,
}: Pick<Operations, 'installation'> & { readonly adminToken: AdminToken }): Promise<{
  readonly token: string;
  readonly created: string;
}> {
  const next = await adminToken.prepare();
  let created: string;
  try {
    created = await installation(null, async ({ tx }) => tx.now);
  } catch (error) {
    await next.discard();
    throw error;
  }
  await next.apply();
  return { token: next.token, created };
}
