import { definePlugin, SURFACES } from '../contract.ts';
import { answerError } from '../http/answer-error.ts';
import { isClosed } from '../http/client-disconnect.ts';
import { toServiceError } from '../http/error-body.ts';
import { requestLogFields } from '../http/request-log-fields.ts';
import { requestPath } from '../http/request-path.ts';
import { settings } from './schema.ts';

/** Turns what the plugins behind it throw into the documented error body. */
export const plugin = definePlugin({
  name: 'error-envelope',
  phase: 'observe',
  after: ['request-id'],
  surfaces: SURFACES,
  needs: ['requestId'],
  settings,
  setup({ logRefusals }, services) {
    const errors = services.metrics.counter('errors_total', 'Error answers by surface and kind of error.', [
      'surface',
      'error',
    ]);
    return {
      wraps: true,
      handle: async function errorEnvelope(ctx, next) {
        try {
          await next();
        } catch (thrown) {
          const { requestId, surface } = ctx.state;
          const error = toServiceError(thrown);
          const path = requestPath(ctx.originalUrl);
          const facts = { surface: surface.name, method: ctx.method, path, ...requestLogFields(ctx.state) };
          // Node ends the stream of a HEAD request of HTTP/2 at once, so that Koa takes it as not writable. One that is closed
          // is writable to Koa: it has no socket.
          const isHead2 = ctx.method === 'HEAD' && ctx.req.httpVersionMajor === 2;
          if (ctx.headerSent || isClosed(ctx.res) || !(ctx.writable || isHead2)) {
            // The client has disconnected, or has half a response: no error can be sent.
            services.log.debug({ error: thrown, ...facts }, 'A request failed after its answer had begun.');
            if (!ctx.res.writableEnded) ctx.res.destroy();
            ctx.respond = false;
            return;
          }
          // Overload, a thousand times a second at worst: counted here, logged once by the part that is overloaded.
          if (error.errorName === 'unavailable') {
            services.log.debug({ error: error.cause ?? error, ...facts }, 'A request was refused with 503.');
          } else if (error.status >= 500) {
            services.log.error({ error: error.cause ?? error, ...facts }, 'A request failed.');
          } else if (logRefusals)
            services.log.debug({ code: error.code, error, ...facts }, 'A request was refused.');
          errors.inc({ surface: surface.name, error: error.errorName });
          answerError(ctx, error, requestId);
        }
      },
    };
  },
});
