import { healthAnswer, remembered, ServiceError } from '../../core/contract.ts';
import { definePlugin } from '../contract.ts';
import { requireAdminToken } from '../http/bearer.ts';
import { requireRead } from '../http/require-read.ts';
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
    const newReport = () =>
      remembered(
        () => services.report(),
        rememberMilliseconds,
        () => services.clock.monotonic(),
      );
    let report = newReport();
    return {
      handle: async function health(ctx) {
        requireRead(ctx, 'Health is read with GET or HEAD.');
        ctx.set('cache-control', 'no-store');
        const { path } = ctx.state.surface;
        if (path !== '/live' && path !== '/ready' && path !== '/')
          throw new ServiceError('noSuchResource', 'Health is at /live, /ready and, in detail, at the root.');
        if (path === '/') await requireAdminToken(ctx.req, ctx.state.client, services);
        const { status, body } = await healthAnswer(path, report);
        ctx.status = status;
        ctx.body = body;
      },
      // From now on the service is not ready.
      stopping() {
        report = newReport();
      },
    };
  },
});
