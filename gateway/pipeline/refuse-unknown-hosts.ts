import { ServiceError } from '../../core/contract.ts';
import type { Stage } from './chain.ts';

/** A name and a port. The message repeats nothing else: it could hold a password. */
const NAME = /^[\w.:[\]-]{1,100}$/;

/** Refuses what was sent to another host than those of this service (RFC 9110 section 15.5.20). */
export const refuseUnknownHosts: Stage = {
  onRequest({ state: { unknownHost } }) {
    if (unknownHost === undefined) return 'next';
    throw new ServiceError(
      'misdirected',
      `The host ${NAME.test(unknownHost) ? `'${unknownHost}'` : 'of the request'} is not one of this service. ` +
        'If it should be, add it to the setting allowedHosts (HEADWATER_ALLOWED_HOSTS), or set the publicUrl of the ' +
        'surface; localhost and IP addresses need neither.',
    );
  },
};
