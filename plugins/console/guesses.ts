import { type ErrorName, ServiceError } from '../../core/contract.ts';
import type { GatewayContext, Next, PluginServices } from '../contract.ts';

/** Calls that check a password or a link, and the error of a wrong one. */
const CHECKS: ReadonlyMap<string, ErrorName> = new Map([
  ['POST /api/session', 'unauthorized'],
  ['POST /api/session/link', 'unauthorized'],
  ['POST /api/session/open-id', 'unauthorized'],
  ['POST /api/session/confirm', 'forbidden'],
  ['PUT /api/password', 'forbidden'],
]);

/**
 * Counts wrong passwords and links by the address of the client, as wrong keys are counted.
 * @throws rateLimited where the address is blocked
 */
export async function guessesLimited(
  ctx: GatewayContext,
  next: Next,
  { failedAttempts }: Pick<PluginServices, 'failedAttempts'>,
): Promise<void> {
  const { client, surface } = ctx.state;
  const wrong = CHECKS.get(`${ctx.method} ${surface.path}`);
  if (wrong === undefined) return next();
  failedAttempts.refuseBlocked(client, 'password');
  try {
    await next();
  } catch (error) {
    if (error instanceof ServiceError && error.errorName === wrong)
      throw failedAttempts.refusal(client, error);
    throw error;
  }
}
