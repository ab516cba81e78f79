import { ServiceError } from '../../core/contract.ts';
import { encodingChooser } from '../accept-encoding.ts';
import { definePlugin, type GatewayContext, type Next } from '../contract.ts';
import { type AppFile, readApp } from './app-files.ts';
import { guessesLimited } from './guesses.ts';
import { contentSecurityPolicy, renderPage } from './page.ts';
import { settings } from './schema.ts';
import { target } from './target.ts';

/** Serves the web application, and forwards its calls to the management and the admin API for the signed-in person. */
export const plugin = definePlugin({
  name: 'console',
  phase: 'forward',
  surfaces: ['console'],
  needs: ['principal'],
  settings,
  async setup({ title }, services) {
    const app = await readApp();
    const chooseEncoding = encodingChooser();

    function servePage(ctx: GatewayContext): void {
      if (app === undefined)
        throw new ServiceError('noSuchResource', "The console was not built; 'npm run build' builds it.");
      const { bases } = ctx.state;
      ctx.set('content-security-policy', contentSecurityPolicy(bases));
      ctx.set('referrer-policy', 'same-origin');
      ctx.set('cross-origin-opener-policy', 'same-origin');
      ctx.set('x-content-type-options', 'nosniff');
      // A new version has other names of scripts: the page itself is always asked for.
      ctx.set('cache-control', 'no-cache');
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = renderPage(app, { base: new URL(bases.console).pathname, title });
    }

    function serveFile(ctx: GatewayContext, file: AppFile): void {
      const encoding = chooseEncoding(ctx.get('accept-encoding'));
      ctx.vary('accept-encoding');
      ctx.set('x-content-type-options', 'nosniff');
      ctx.set('cache-control', 'public, max-age=31536000, immutable');
      if (encoding !== 'identity') ctx.set('content-encoding', encoding);
      ctx.type = file.type;
      ctx.body = file.bodies[encoding];
    }

    return {
      handle: async function console(ctx: GatewayContext, next: Next) {
        const { path } = ctx.state.surface;
        if (path.startsWith('/api/')) return forward(ctx, next);
        if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
          throw new ServiceError('methodNotAllowed', 'Pages of the console are read with GET or HEAD.', {
            headers: { allow: 'GET, HEAD' },
          });
        if (!path.startsWith('/files/')) return servePage(ctx);
        const file = app?.files.get(path.slice('/files/'.length));
        if (!file) throw new ServiceError('noSuchResource', 'There is no such file of the console.');
        return serveFile(ctx, file);
      },
    };

    async function forward(ctx: GatewayContext, next: Next): Promise<void> {
      const { surface } = ctx.state;
      const forwarded = target(surface);
      if (forwarded === undefined) {
        // Core decodes paths: an encoded one would not be recognized as a check of a password.
        if (surface.path.includes('%'))
          throw new ServiceError('noSuchResource', 'The console has no call at this URL.');
        return guessesLimited(ctx, next, services);
      }
      if (ctx.state.principal?.kind !== 'session')
        throw new ServiceError('unauthorized', 'You are not signed in, or your session has ended.');
      const { state } = ctx;
      return next(
        Object.create(ctx, { state: { value: { ...state, surface: forwarded } } }) as GatewayContext,
      );
    }
  },
});
