import { type HealthReport, ServiceError } from '../../core/contract.ts';
import { definePlugin } from '../contract.ts';
import { requireAdminToken } from '../http/bearer.ts';
import { settings } from './schema.ts';

/**
 * `/health/live`: the process runs. `/health/ready`: it can serve (503 while it cannot, or is stopping).
 * `/health`: every part in detail, for the admin token.
 */
export const plugin = definePlugin({
  name: 'health',
  phase: 'edge',
  after: ['cors', 'limits'],
  surfaces: ['health'],
  settings,
  setup({ rememberMilliseconds }, services) {
    let last: Promise<HealthReport> | undefined;
    let lastAt = 0;
    /** Probes need no key, so they share one check of the parts. */
    function report(): Promise<HealthReport> {
      const now = services.clock.monotonic();
      if (last === undefined || now - lastAt >= rememberMilliseconds) {
        last = services.report();
        lastAt = now;
      }
      return last;
    }
    return {
      handle: async function health(ctx) {
        if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
          throw new ServiceError('methodNotAllowed', 'Health is read with GET or HEAD.', {
            headers: { allow: 'GET, HEAD' },
          });
        }
        ctx.set('cache-control', 'no-store');
        switch (ctx.state.surface.path) {
          case '/live':
            ctx.body = { status: 'ok' };
            return;
          case '/ready': {
            const { ok } = await report();
            ctx.status = ok ? 200 : 503;
            ctx.body = { status: ok ? 'ok' : 'unavailable' };
            return;
          }
          case '/': {
            await requireAdminToken(ctx.req, ctx.state.client, services);
            const { ok, parts } = await report();
            ctx.status = ok ? 200 : 503;
            ctx.body = { status: ok ? 'ok' : 'unavailable', parts };
            return;
          }
          default:
            throw new ServiceError(
              'noSuchResource',
              'Health is at /live, /ready and, in detail, at the root.',
            );
        }
      },
    };
  },
});
