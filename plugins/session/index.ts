import type { IncomingMessage } from 'node:http';
import { type Principal, ServiceError, tokenHash } from '../../core/contract.ts';
import { definePlugin } from '../contract.ts';
import type { Limiter } from '../limiter.ts';
import { LocalLimiter } from '../local-limiter.ts';
import { checkOrigin } from './check-origin.ts';
import { settings } from './schema.ts';
import { sessionToken } from './session-token.ts';

const ANONYMOUS: Principal = Object.freeze({ kind: 'anonymous' });
/** Sessions that are counted at a time. */
const SESSIONS = 10_000;

/** Identifies the person by the cookie of the console. Core checks the session. */
export const plugin = definePlugin({
  name: 'session',
  phase: 'identify',
  surfaces: ['console'],
  gives: ['principal'],
  settings,
  setup({ limits }, services) {
    const limiter: Limiter =
      services.limiter ?? services.state('limiter', () => new LocalLimiter(services.clock, SESSIONS));
    return {
      handle: async function session(ctx, next) {
        const { req, state } = ctx;
        state.principal = principalOf(req);
        if (req.method !== 'GET' && req.method !== 'HEAD') checkOrigin(req, state.bases.console);
        if (state.principal.kind === 'session') {
          const verdict = await limiter.take(`session:${state.principal.hash}`, limits);
          if (!verdict.admitted) throw tooMany(verdict.waitMilliseconds);
        }
        return next();
      },
    };
  },
});

function principalOf(req: IncomingMessage): Principal {
  const token = sessionToken(req.headers.cookie);
  return token === undefined ? ANONYMOUS : { kind: 'session', hash: tokenHash(token) };
}

function tooMany(waitMilliseconds: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMilliseconds / 1000));
  return new ServiceError('rateLimited', `This session makes too many calls. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
