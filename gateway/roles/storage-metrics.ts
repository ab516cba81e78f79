import { Counter, Gauge, type Registry } from 'prom-client';
import type { RunningCore } from '../../core/compose/create-core.ts';

type Figures = ReturnType<RunningCore['operations']['storage']['figures']>;
type ReadFigures = Figures['reads'][keyof Figures['reads']];

/** Figures of the database's queues, as `headwater_storage_…`, one value a class of reads; read when somebody looks. */
export function storageMetrics(
  registry: Registry,
  { operations: { storage } }: Pick<RunningCore, 'operations'>,
): void {
  const registers = [registry];
  const each = (visit: (name: string, figures: ReadFigures) => void) => {
    for (const [name, figures] of Object.entries(storage.figures().reads)) visit(name, figures);
  };
  const gauge = (name: string, help: string, read: (figures: ReadFigures) => number) => {
    const collect = () => each((of, figures) => metric.set({ class: of }, read(figures)));
    const metric: Gauge<'class'> = new Gauge({
      name: `headwater_storage_${name}`,
      help,
      labelNames: ['class'],
      registers,
      collect,
    });
  };
  const counter = (name: string, help: string, read: (figures: ReadFigures) => number) => {
    const collect = () => {
      metric.reset();
      each((of, figures) => metric.inc({ class: of }, read(figures)));
    };
    const metric: Counter<'class'> = new Counter({
      name: `headwater_storage_${name}`,
      help,
      labelNames: ['class'],
      registers,
      collect,
    });
  };

  gauge('read_connections', 'Connections that reads of the class have.', ({ connections }) => connections);
  gauge('reads_running', 'Reads that have a connection.', ({ running }) => running);
  gauge('reads_waiting', 'Reads that wait for a connection.', ({ waiting }) => waiting);
  counter('reads_waited_total', 'Reads that had to wait for a connection.', ({ waited }) => waited);
  counter('read_wait_seconds_total', 'How long those waited.', ({ waitSeconds }) => waitSeconds);
  counter('reads_refused_total', 'Reads whose queue was full or too slow.', ({ refused }) => refused);
  const interrupted: Counter<'class' | 'reason'> = new Counter({
    name: 'headwater_storage_reads_interrupted_total',
    help: 'Reads that were ended early: their caller was gone, a statement took too long, the service stopped; preempted: they gave way to shorter ones and ran again.',
    labelNames: ['class', 'reason'],
    registers,
    collect() {
      interrupted.reset();
      each((of, figures) => {
        for (const [reason, count] of Object.entries(figures.interrupted))
          interrupted.inc({ class: of, reason }, count);
      });
    },
  });
  new Gauge({
    name: 'headwater_storage_writes_waiting',
    help: 'Transactions that wait for their turn.',
    registers,
    collect() {
      this.set(storage.figures().writes.waiting);
    },
  });
  new Counter({
    name: 'headwater_storage_writes_refused_total',
    help: 'Transactions whose queue was full.',
    registers,
    collect() {
      this.reset();
      this.inc(storage.figures().writes.refused);
    },
  });
}
