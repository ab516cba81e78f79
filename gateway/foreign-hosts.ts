import { ServiceError } from '../core/contract.ts';
import type { Handler } from './chain.ts';

/** Refuses what was sent to another host than those of this service (RFC 9110 section 15.5.20). */
export const refuseForeignHosts: Handler = (ctx, next) => {
  const { foreignHost } = ctx.state;
  if (foreignHost === undefined) return next();
  const host = foreignHost.length <= 100 ? foreignHost : `${foreignHost.slice(0, 100)}…`;
  throw new ServiceError(
    'misdirected',
    `The host '${host}' is not one of this service. If it should be, add it to the setting allowedHosts ` +
      '(HEADWATER_ALLOWED_HOSTS), or set the publicUrl of the surface; localhost and IP addresses need neither.',
  );
};
