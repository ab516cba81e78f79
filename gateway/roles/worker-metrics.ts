import { Counter, Gauge, type Registry } from 'prom-client';
import type { WorkerQueueReport, Workers } from '../../workers/contract.ts';

type Read = (queue: WorkerQueueReport) => number;

/** What the worker tier tells of itself, as `headwater_workers_…`, one value a queue; read when somebody looks. */
export function workerMetrics(registry: Registry, workers: Workers): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: Read) => {
    const labelNames = ['lane'];
    const collect = () => eachQueue((queue, report) => metric.set({ lane: queue }, read(report)));
    const metric = new Gauge({ name: `headwater_workers_${name}`, help, labelNames, registers, collect });
  };
  const counter = (name: string, help: string, read: Read) => {
    const labelNames = ['lane'];
    const collect = () => {
      metric.reset();
      eachQueue((queue, report) => metric.inc({ lane: queue }, read(report)));
    };
    const metric = new Counter({ name: `headwater_workers_${name}`, help, labelNames, registers, collect });
  };
  const eachQueue = (visit: (queue: string, report: WorkerQueueReport) => void) => {
    for (const [queue, report] of Object.entries(workers.report())) visit(queue, report);
  };

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
