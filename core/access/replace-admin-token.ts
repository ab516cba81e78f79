import type { Operations } from '../transaction/operations.ts';
import type { AdminToken } from './admin-token.ts';

/**
 * Replaces the admin token. The act is recorded first: a replacement without a record would be worse than a record
 * without a replacement.
 * @throws conflict if the settings define the token
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
