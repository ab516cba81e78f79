import { Counter, type Registry } from 'prom-client';
import type { RunningCore } from '../../core/compose/create-core.ts';
import type { RunningCoreServer } from '../../core/remote/server/serve-core.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

/** Metrics of a core that answers gateways, `headwater_core_…`, by surface or function that they call. */
export function coreServerMetrics(
  registry: Registry,
  { calls }: Pick<RunningCoreServer, 'calls'>,
  { gatewayFeed }: Pick<RunningCore, 'gatewayFeed'>,
): void {
  const { gauge, counter } = scrapedMetrics(registry, 'headwater_core_', 'call', () => calls.figures);
  const gateways = scrapedMetrics(registry, 'headwater_core_', 'gateway', () =>
    gatewayFeed.gateways.map((one) => [one.instance, one] as const),
  );

  gauge('calls_running', 'Calls of gateways in progress.', ({ running }) => running);
  counter('call_seconds_total', 'Time of calls until their answers.', ({ seconds }) => seconds);
  new Counter({
    name: 'headwater_core_calls_total',
    help: 'Calls of gateways that ended; failed: by an unexpected error; aborted: by the gateway.',
    labelNames: ['call', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [call, { outcomes }] of calls.figures)
        for (const [outcome, count] of Object.entries(outcomes)) this.inc({ call, outcome }, count);
    },
  });
  gateways.gauge(
    'gateway_behind_seconds',
    'For how long a connected gateway has lacked a commit; 0 where it has the last one.',
    ({ behind }) => behind / 1000,
  );
}
