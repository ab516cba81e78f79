import { ServiceError } from '../../core/contract.ts';
import type { GatewayContext, Next, PluginServices } from '../contract.ts';

/** Calls that check a password or a link. */
const CHECKS: ReadonlySet<string> = new Set([
  'POST /api/session',
  'POST /api/session/link',
  'POST /api/session/confirm',
  'PUT /api/password',
]);

export function isSecretCheck(method: string, path: string): boolean {
  return CHECKS.has(`${method} ${path}`);
}

/**
 * Counts wrong passwords and links by the address of the client, as wrong keys are counted.
 * @throws rateLimited where the address is blocked
 */
export async function guessesLimited(
  ctx: GatewayContext,
  next: Next,
  { failedAttempts }: Pick<PluginServices, 'failedAttempts'>,
): Promise<void> {
  const { client } = ctx.state;
  failedAttempts.refuseBlocked(client);
  try {
    await next();
  } catch (error) {
    if (
      error instanceof ServiceError &&
      (error.errorName === 'unauthorized' || error.errorName === 'forbidden')
    )
      throw failedAttempts.refusal(client, error);
    throw error;
  }
}
