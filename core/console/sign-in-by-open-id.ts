import { userOfIdentity } from '../access/identities.ts';
import { startSession } from '../access/sessions.ts';
import { ServiceError } from '../errors.ts';
import type { ConsoleAnswer, ConsoleCall } from './call.ts';
import { sessionCookie } from './console-cookie.ts';
import { recordFailure } from './sign-in.ts';

const ACT = 'sign in by OpenID Connect';

/** Starts a session for the person whom the gateway has seen signed in by the provider; no body can claim to be one. */
export async function signInByOpenId(call: ConsoleCall): Promise<ConsoleAnswer> {
  const { principal } = call;
  if (principal.kind === 'refused-identity') {
    await recordFailure(call, ACT, `session (${principal.reason})`);
    throw new ServiceError('unauthorized', 'The sign-in through the provider was refused.');
  }
  if (principal.kind !== 'identity')
    throw new ServiceError('noSuchResource', 'The console has no call at this URL.');
  const act = { act: ACT, subject: 'session', actor: 'OpenID provider' };
  const services = call.audited(act);
  try {
    const token = await services.installation(null, async (to) => {
      act.actor = await userOfIdentity(to, principal, principal.createsUser);
      return startSession(to, act.actor, call.client, principal.isFresh);
    });
    return { status: 201, cookie: sessionCookie(token, call.base) };
  } catch (error) {
    if (error instanceof ServiceError && error.errorName === 'unauthorized')
      await recordFailure(call, ACT, principal.email);
    throw error;
  }
}
