import type { Registry } from 'prom-client';
import type { WorkerQueueReport, Workers } from '../../workers/contract.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

/** Metrics of the worker tier, `headwater_workers_…`, by queue. */
export function workerMetrics(registry: Registry, workers: Workers): void {
  const { gauge, counter } = scrapedMetrics(registry, 'headwater_workers_', 'lane', () =>
    Object.entries(workers.report()),
  );

  gauge('waiting', 'Tasks that wait for a worker.', ({ waiting }) => waiting);
  gauge('running', 'Tasks that are being done.', ({ running }) => running);
  gauge('hosts', 'Host processes and remote workers that are open.', (queue) => openHosts(queue).length);
  gauge('resident_bytes', 'Memory of the host processes, as of their last answers.', (queue) =>
    openHosts(queue).reduce((sum, { resident }) => sum + resident, 0),
  );
  counter('tasks_total', 'Tasks that were done.', ({ done }) => done);
  counter('task_seconds_total', 'Time of those tasks, waiting included.', ({ seconds }) => seconds);
  counter('crashes_total', 'Hosts that were lost or did not start.', ({ crashes }) => crashes);
  for (const failure of ['busy', 'late', 'refused', 'lost'] as const) {
    counter(`${failure}_total`, `Tasks that ended as ${failure}.`, ({ failed }) => failed[failure]);
  }
}

function openHosts({ hosts }: WorkerQueueReport): WorkerQueueReport['hosts'] {
  return hosts.filter(({ state }) => state === 'open');
}
