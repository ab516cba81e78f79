import { definePlugin, type Exchange } from '../contract.ts';
import { allowHeaders, allowMethods, EXPOSED, ofOtherVendors } from './headers.ts';
import { settings } from './schema.ts';

/** Lets pages of other origins call the APIs, and answers preflights (OPTIONS) before any other check. */
export const plugin = definePlugin({
  name: 'cors',
  phase: 'edge',
  surfaces: ['delivery', 'preview', 'manage', 'assets', 'docs'],
  settings,
  setup({ origins, headers, exposeHeaders, maxAgeSeconds }, services) {
    const isPublic = origins.includes('*');
    const listed = new Set(origins.map(asSent));
    const allowed = [...allowHeaders(services.vendor.header), ...headers].join(', ');
    const exposed = [...EXPOSED, `X-${services.vendor.header[0]}-Content-Sequence`, ...exposeHeaders].join(
      ', ',
    );
    const allow = (exchange: Pick<Exchange, 'set'>, origin: string) => {
      exchange.set('access-control-allow-origin', origin);
      exchange.set('access-control-expose-headers', exposed);
    };
    return {
      onRequest(exchange) {
        if (isPublic) allow(exchange, '*');
        return isPublic && exchange.req.method !== 'OPTIONS' ? 'next' : 'handle';
      },
      handle: function cors(ctx, next) {
        const { res } = ctx;
        if (!isPublic) {
          const { origin } = ctx.req.headers;
          // Shared caches must keep one answer per origin.
          ctx.vary('Origin');
          if (origin !== undefined && listed.has(origin)) allow(ctx, origin);
        }
        if (ctx.method !== 'OPTIONS') return next();
        const methods = allowMethods(ctx.state.surface.name);
        res.setHeader('allow', methods);
        if (res.hasHeader('access-control-allow-origin')) {
          res.setHeader('access-control-allow-methods', methods);
          const others = ofOtherVendors(ctx.req.headers['access-control-request-headers']);
          res.setHeader('access-control-allow-headers', [allowed, ...others].join(', '));
          res.setHeader('access-control-max-age', String(maxAgeSeconds));
        }
        ctx.status = 204;
        return Promise.resolve();
      },
    };
  },
});

/** An origin as browsers send it: in lower case, without the port of its scheme. */
function asSent(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).origin : origin;
}
