import type { Registry } from 'prom-client';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

/** Metrics of the webhook dispatcher, `headwater_webhook_…`. */
export function webhookMetrics(registry: Registry, { webhooks }: Pick<RunningCore, 'webhooks'>): void {
  const { gauge, counter } = scrapedMetrics(registry, 'headwater_webhook_', undefined, () => [
    ['', webhooks.figures()] as const,
  ]);

  counter('delivered_total', 'Notifications that receivers took.', ({ delivered }) => delivered);
  counter('failed_attempts_total', 'Attempts that receivers did not take.', ({ failed }) => failed);
  counter('dropped_total', 'Notifications dropped after three days.', ({ dropped }) => dropped);
  counter(
    'lag_seconds_total',
    'From the commit of a change to the answer, of those taken at the first attempt.',
    ({ lagSeconds }) => lagSeconds,
  );
  counter('lag_count_total', 'How many those were.', ({ lagCount }) => lagCount);
  gauge('under_way', 'Attempts that wait for an answer.', ({ underWay }) => underWay);
  gauge(
    'blocked_lanes',
    'Webhooks whose next notification waits for its retry.',
    (figures) => figures.waitingForRetry,
  );
  gauge('busy_lanes', 'Webhooks that are being worked off.', ({ busyQueues }) => busyQueues);
}
