import { definePlugin, SURFACES } from '../contract.ts';
import { settings } from './schema.ts';

/** What an id from outside may look like: it ends up in logs and error bodies. */
const ACCEPTABLE = /^[\w.:|-]{1,128}$/;

/** Gives every request an id, found again in the answer's header, in error bodies and in the log. */
export const plugin = definePlugin({
  name: 'request-id',
  phase: 'observe',
  surfaces: SURFACES,
  gives: ['requestId'],
  settings,
  setup({ header, acceptFromProxies }, kit) {
    const incoming = header.toLowerCase();
    return {
      handle: function requestId(ctx, next) {
        const offered =
          acceptFromProxies && ctx.state.client.viaTrustedProxy ? ctx.req.headers[incoming] : undefined;
        const id = typeof offered === 'string' && ACCEPTABLE.test(offered) ? offered : kit.ids.newId();
        ctx.state.requestId = id;
        ctx.res.setHeader(header, id);
        return next();
      },
    };
  },
});
