import type { Registry } from 'prom-client';
import type { RunningCore } from '../../core/compose/create-core.ts';
import type { RunningCoreServer } from '../../core/remote/server/serve-core.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

/** Metrics of a core that answers gateways, `headwater_core_…`, by surface or function that they call. */
export function coreServerMetrics(
  registry: Registry,
  { calls }: Pick<RunningCoreServer, 'calls'>,
  { gatewayFeed }: Pick<RunningCore, 'gatewayFeed'>,
): void {
  const { gauge, counter, counters } = scrapedMetrics(
    registry,
    'headwater_core_',
    'call',
    () => calls.figures,
  );
  const gateways = scrapedMetrics(registry, 'headwater_core_', 'gateway', () =>
    gatewayFeed.gateways.map((one) => [one.instance, one] as const),
  );

  gauge('calls_running', 'Calls of gateways in progress.', ({ running }) => running);
  counter('call_seconds_total', 'Time of calls until their answers.', ({ seconds }) => seconds);
  counters(
    'calls_total',
    'Calls of gateways that ended; failed: by an unexpected error; aborted: by the gateway.',
    'outcome',
    ({ outcomes }) => outcomes,
  );
  gateways.gauge(
    'gateway_behind_seconds',
    'For how long a connected gateway has lacked a commit; 0 where it has the last one.',
    ({ behind }) => behind / 1000,
  );
}
