import { type Principal, ServiceError } from '../../core/contract.ts';
import type { GatewayContext } from '../contract.ts';

/** Who has signed in. @throws unauthorized where no one has */
export function requireSession({ state }: GatewayContext): Extract<Principal, { readonly kind: 'session' }> {
  const { principal } = state;
  if (principal?.kind === 'session') return principal;
  throw new ServiceError('unauthorized', 'You are not signed in, or your session has ended.');
}
