import type { IncomingMessage } from 'node:http';
import { type Principal, ServiceError, tokenHash } from '../../core/contract.ts';
import { definePlugin, type GatewayContext } from '../contract.ts';
import type { Limiter } from '../counters/limiter.ts';
import { LocalLimiter } from '../counters/local-limiter.ts';
import { isOwnWrite } from './is-own-write.ts';
import type { ConfiguredOpenId } from './open-id-provider.ts';
import { OpenIdSignIn } from './open-id-sign-in.ts';
import { RefusedWrites } from './refused-writes.ts';
import { settings } from './schema.ts';
import { sessionToken } from './session-token.ts';

const ANONYMOUS: Principal = Object.freeze({ kind: 'anonymous' });
const METHODS = '/api/session/methods';
/** The id of the user whose page calls. */
const PAGE_USER = 'x-headwater-user';
/** Sessions that are counted at a time. */
const SESSIONS = 10_000;

/** Identifies the person by the cookie of the console. Core checks the session. */
export const plugin = definePlugin({
  name: 'session',
  phase: 'identify',
  surfaces: ['console'],
  needs: ['requestId'],
  gives: ['principal'],
  settings,
  setup({ limits, openId }, services) {
    const limiter: Limiter =
      services.limiter ?? services.state('limiter', () => new LocalLimiter(services.clock, SESSIONS));
    const refusedWrites = new RefusedWrites(limiter, services);
    const openIdSignIn =
      openId.issuer === null ? undefined : new OpenIdSignIn(openId as ConfiguredOpenId, services);
    return {
      handle: async function session(ctx, next) {
        const { req, state } = ctx;
        state.principal = principalOf(req, state.bases.console);
        if (ctx.method === 'GET' && state.surface.path === METHODS) return answerMethods(ctx);
        if (await openIdSignIn?.handle(ctx, next)) return;
        if (req.method !== 'GET' && req.method !== 'HEAD' && !isOwnWrite(req, state.bases.console)) {
          await refusedWrites.record(ctx);
          throw new ServiceError('forbidden', 'Writes to the console are accepted from its own pages only.');
        }
        if (state.principal.kind === 'session' && !state.surface.path.startsWith('/files/')) {
          const verdict = await limiter.take(`session:${state.principal.hash}`, limits);
          if (!verdict.admitted && isCall(state.surface.path)) throw tooMany(verdict.waitMilliseconds);
          // A page is for everyone: it comes without what the person would get, and its calls say why.
          if (!verdict.admitted) state.principal = ANONYMOUS;
        }
        return next();
      },
    };

    /** By what people can sign in beside passwords and links. */
    function answerMethods(ctx: GatewayContext): void {
      ctx.set('cache-control', 'no-store');
      ctx.body = { open_id: openIdSignIn === undefined ? null : { name: openId.name } };
    }
  },
});

/** Pages are open to everyone, as files are, of which one page loads dozens. */
function isCall(path: string): boolean {
  return path.startsWith('/api/') || path.startsWith('/frame/');
}

function principalOf(req: IncomingMessage, console: string): Principal {
  const token = sessionToken(req.headers.cookie, console);
  if (token === undefined) return ANONYMOUS;
  const user = req.headers[PAGE_USER];
  return { kind: 'session', hash: tokenHash(token), ...(typeof user === 'string' && { user }) };
}

function tooMany(waitMilliseconds: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMilliseconds / 1000));
  return new ServiceError('rateLimited', `This session makes too many calls. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
