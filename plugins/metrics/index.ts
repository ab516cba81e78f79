import { ServiceError } from '../../core/contract.ts';
import { definePlugin, type GatewayContext, SURFACES } from '../contract.ts';
import { registerProcessMetrics } from '../counters/process-metrics.ts';
import { requireAdminToken } from '../http/bearer.ts';
import { requireRead } from '../http/require-read.ts';
import { watchEventLoop } from './event-loop-delay.ts';
import { requestMeter } from './request-meter.ts';
import { settings } from './schema.ts';

/** Counts and times every request, and shows all metrics of the service as Prometheus text. */
export const plugin = definePlugin({
  name: 'metrics',
  // The page takes the admin token, so transport and limits are checked before it; `onResponse` counts all requests.
  phase: 'edge',
  after: ['https-only', 'limits'],
  surfaces: SURFACES,
  settings,
  setup(options, services) {
    const { registry } = services.metrics;
    if (options.process) registerProcessMetrics(registry);
    // One for all pipelines: what brings the counters up to date would otherwise be that of a reload that was undone.
    const meter = services.state('meter', () => requestMeter(services.metrics, options.buckets));
    const stopWatching = options.process ? watchEventLoop(services.metrics) : () => {};
    return {
      onRequest: ({ state }) => (state.surface.name === 'metrics' ? 'handle' : 'next'),
      handle: page,
      dispose: async () => stopWatching(),
      onResponse: ({ req, state }) => meter.measure(state.surface.name, req.method ?? '', state.outcome),
    };

    async function page(ctx: GatewayContext): Promise<void> {
      const { surface, client } = ctx.state;
      if (surface.path !== '/') throw new ServiceError('noSuchResource', 'Metrics have one page only.');
      requireRead(ctx, 'Metrics are read with GET or HEAD.');
      if (!(options.loopback && client.loopback)) {
        await requireAdminToken(ctx.req, client, services);
      }
      const text = await services.metrics.text();
      ctx.res.setHeader('content-type', registry.contentType);
      ctx.res.setHeader('cache-control', 'no-store');
      ctx.body = text;
    }
  },
});
