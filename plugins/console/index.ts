import { ServiceError } from '../../core/contract.ts';
import { definePlugin, type GatewayContext, type Next } from '../contract.ts';
import { encodingChooser } from '../http/accept-encoding.ts';
import { requireRead } from '../http/require-read.ts';
import { type AppFile, readApp } from './app-files.ts';
import { ConsoleEvents } from './events.ts';
import { firstAnswers } from './first-answers.ts';
import { serveFrame } from './frame.ts';
import { guessesLimited } from './guesses.ts';
import { chosen, contentSecurityPolicy, renderPage } from './page.ts';
import { requireSession } from './require-session.ts';
import { settings } from './schema.ts';
import { target } from './target.ts';

/** Serves the web application, and forwards its calls to the management and the admin API for the signed-in person. */
export const plugin = definePlugin({
  name: 'console',
  phase: 'forward',
  surfaces: ['console'],
  needs: ['principal', 'bodyBytes'],
  settings,
  async setup({ title }, services) {
    const app = await readApp();
    const chooseEncoding = encodingChooser();
    const events = new ConsoleEvents(services);
    /** Outlives a reload, after which the streams begin again in the new pipeline. */
    const current = services.state('events', () => ({ events: undefined as ConsoleEvents | undefined }));

    async function servePage(ctx: GatewayContext): Promise<void> {
      if (app === undefined) throw notBuilt();
      const { bases, bodyBytes = 0 } = ctx.state;
      // What changes while the answers are read comes with the stream.
      const position = events.pageId;
      const answers = await firstAnswers(ctx, services);
      ctx.set('content-security-policy', contentSecurityPolicy(bases, app));
      ctx.set('referrer-policy', 'same-origin');
      // A page that is opened from the address bar has no opener, and Chromium would start another process for it: its first
      // script would run after 54 ms, not 35.
      if (ctx.get('sec-fetch-site') !== 'none') ctx.set('cross-origin-opener-policy', 'same-origin');
      ctx.set('x-content-type-options', 'nosniff');
      // A new version has other names of scripts, and the page has choices and answers of a person: it is always asked for. On
      // the way back, browsers show a page with `no-cache` as it was.
      ctx.set('cache-control', 'no-store');
      ctx.type = 'text/html; charset=utf-8';
      const choices = chosen(ctx.get('cookie'));
      ctx.body = renderPage(app, { bases, title, bodyBytes, position, choices, answers });
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

    function serveElementScript(ctx: GatewayContext): void {
      const script = app?.files.get(app.elementScript);
      if (script === undefined) throw notBuilt();
      ctx.set('x-content-type-options', 'nosniff');
      // Pages of other origins load it, perhaps with a check of its integrity.
      ctx.set('access-control-allow-origin', '*');
      ctx.set('cache-control', 'public, max-age=300');
      ctx.type = script.type;
      ctx.body = script.bodies.identity;
    }

    async function openEvents(ctx: GatewayContext): Promise<void> {
      const principal = requireSession(ctx);
      const query = new URLSearchParams(ctx.state.surface.query);
      const stream = await events.open(principal, ctx.get('last-event-id') || (query.get('after') ?? ''));
      // Compressors and proxies would hold events back.
      ctx.set('cache-control', 'no-store, no-transform');
      ctx.set('x-accel-buffering', 'no');
      ctx.type = 'text/event-stream; charset=utf-8';
      ctx.body = stream;
    }

    return {
      activate() {
        current.events?.close('reload');
        current.events = events;
        void events.prepare();
      },
      stopping: () => events.close('stopping'),
      dispose: async () => events.close('stopping'),
      handle: async function console(ctx: GatewayContext, next: Next) {
        const { path } = ctx.state.surface;
        if (path === '/api/events' && ctx.method === 'GET') return openEvents(ctx);
        if (path.startsWith('/api/')) return forward(ctx, next);
        requireRead(ctx, 'Pages of the console are read with GET or HEAD.');
        if (path.startsWith('/frame/')) return serveFrame(ctx, services);
        if (path === '/custom-element.js') return serveElementScript(ctx);
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
        await guessesLimited(ctx, next, services);
        if (surface.path.startsWith('/api/presence')) events.presenceChanged();
        return;
      }
      requireSession(ctx);
      const { state } = ctx;
      return next(
        Object.create(ctx, { state: { value: { ...state, surface: forwarded } } }) as GatewayContext,
      );
    }
  },
});

function notBuilt(): ServiceError {
  return new ServiceError('noSuchResource', "The console was not built; 'npm run build' builds it.");
}
