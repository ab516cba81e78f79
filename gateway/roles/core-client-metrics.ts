import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RemoteCore } from '../../core/remote/client/connect-core.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

/** In seconds. A delivered commit is seldom older than some milliseconds, and never usable after a few seconds. */
const DELAYS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Metrics of a gateway about its cores, `headwater_core_client_…`, and about the change feed, `headwater_feed_…`. */
export function coreClientMetrics(registry: Registry, core: RemoteCore): void {
  const cores = () => core.cores().map((one) => [one.name, one] as const);
  const client = scrapedMetrics(registry, 'headwater_core_client_', 'core', cores);
  const links = scrapedMetrics(registry, 'headwater_feed_', 'core', () =>
    core.cores().flatMap(({ name, link }) => (link ? [[name, link] as const] : [])),
  );

  client.gauge('up', 'Whether the core gets calls: 1 = yes.', ({ isAvailable }) => (isAvailable ? 1 : 0));
  client.gauge('calls_running', 'Calls of this gateway in progress at the core.', ({ running }) => running);
  client.counter(
    'retries_total',
    'Calls that failed at the core and were repeated.',
    ({ retries }) => retries,
  );
  client.counter('losses_total', 'How often the core ceased to get calls.', ({ losses }) => losses);
  links.gauge('link_up', 'Whether the changes of the core are followed: 1 = yes.', ({ isFollowing }) =>
    isFollowing ? 1 : 0,
  );
  links.gauge(
    'link_age_seconds',
    'Since the time until which the core has sent every commit.',
    ({ age }) => age / 1000,
  );
  watchStream(registry, core);
  watchFeed(registry, core);
}

function watchStream(registry: Registry, { stream }: RemoteCore): void {
  if (stream === undefined) return;
  const { gauge, counter } = scrapedMetrics(registry, 'headwater_feed_', undefined, () => [
    ['', stream] as const,
  ]);
  gauge('stream_up', 'Whether the stream of commits in Redis is read: 1 = yes.', ({ failure }) =>
    failure === undefined ? 1 : 0,
  );
  counter(
    'stream_commits_total',
    'Commits that the stream brought before a link did.',
    ({ commits }) => commits,
  );
}

function watchFeed(registry: Registry, { feed }: RemoteCore): void {
  const registers = [registry];
  const delays = new Histogram({
    name: 'headwater_feed_delay_seconds',
    help: 'From the commit of a change to its arrival here.',
    buckets: DELAYS,
    registers,
  });
  const resets = new Counter({
    name: 'headwater_feed_resets_total',
    help: 'How often changes may have been missed, so that all that is cached became stale.',
    registers,
  });
  new Gauge({
    name: 'headwater_feed_age_seconds',
    help: 'Since the time until which every commit has arrived over any link.',
    registers,
    collect() {
      this.set((performance.now() - feed.completeUntil) / 1000);
    },
  });
  feed.subscribe(
    ({ age = 0 }) => delays.observe(age / 1000),
    () => resets.inc(),
  );
}
