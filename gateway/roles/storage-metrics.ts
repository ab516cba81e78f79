import type { Registry } from 'prom-client';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

const PREFIX = 'headwater_storage_';

/** Metrics of the database's queues, `headwater_storage_…`, those of reads by class. */
export function storageMetrics(
  registry: Registry,
  { operations: { storage } }: Pick<RunningCore, 'operations'>,
): void {
  const { gauge, counter, counters } = scrapedMetrics(registry, PREFIX, 'class', () =>
    Object.entries(storage.figures().reads),
  );
  const following = scrapedMetrics(registry, `${PREFIX}following_`, undefined, () => {
    const figures = storage.figures().following;
    return figures ? [['', figures] as const] : [];
  });
  const writes = scrapedMetrics(registry, PREFIX, undefined, () => [['', storage.figures().writes] as const]);

  gauge('read_connections', 'Connections that reads of the class have.', ({ connections }) => connections);
  gauge('reads_running', 'Reads that have a connection.', ({ running }) => running);
  gauge('reads_waiting', 'Reads that wait for a connection.', ({ waiting }) => waiting);
  counter('reads_waited_total', 'Reads that had to wait for a connection.', ({ waited }) => waited);
  counter('read_wait_seconds_total', 'How long those waited.', ({ waitSeconds }) => waitSeconds);
  counter('reads_refused_total', 'Reads whose queue was full or too slow.', ({ refused }) => refused);
  counters(
    'reads_interrupted_total',
    'Reads that were ended early: their caller disconnected, a statement took too long, the service stopped; preempted: they gave way to shorter ones and ran again.',
    'reason',
    ({ interrupted }) => interrupted,
  );
  const replicas = () =>
    (storage.figures().replicas ?? []).map((figures) => [figures.address, figures] as const);
  const ofReplicas = scrapedMetrics(registry, PREFIX, 'replica', replicas);
  ofReplicas.gauge(
    'replica_behind_seconds',
    'For how long the replica has lacked a commit; NaN = not known.',
    ({ behind = Number.NaN }) => behind / 1000,
  );
  ofReplicas.gauge('replica_used', '1 = plain delivery reads may go to the replica.', ({ isUsable }) =>
    Number(isUsable),
  );
  ofReplicas.counter('replica_reads_total', 'Reads that went to the replica.', ({ reads }) => reads);
  ofReplicas.counter(
    'replica_reads_failed_total',
    'Those that had to be repeated on the primary.',
    ({ failed }) => failed,
  );
  writes.gauge('writes_waiting', 'Transactions that wait for their turn.', ({ waiting }) => waiting);
  writes.counter('writes_total', 'Transactions that began.', ({ begun }) => begun);
  writes.counter(
    'write_wait_seconds_total',
    'How long those waited for their turn.',
    (figures) => figures.waitSeconds,
  );
  writes.counter('write_groups_total', 'Groups of transactions with one commit.', ({ groups }) => groups);
  writes.counter(
    'write_lock_seconds_total',
    'How long those took to begin: on PostgreSQL, waits for the lock of other cores.',
    ({ lockSeconds }) => lockSeconds,
  );
  writes.counter('writes_refused_total', 'Transactions whose queue was full.', ({ refused }) => refused);
  following.gauge(
    'age_seconds',
    'Since the time until which this core has every commit of all cores.',
    ({ age }) => age / 1000,
  );
  following.counter(
    'failures_total',
    'Reads of the commits of other cores that failed.',
    ({ failures }) => failures,
  );
}
