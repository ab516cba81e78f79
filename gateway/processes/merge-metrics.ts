import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MetricReport } from './process-calls.ts';

type Report = readonly MetricReport[];

/**
 * One set of metrics for several processes. Counters and histograms are added up; those of processes that have ended stay
 * in the sums, so that none falls. A gauge has the number of its process as a label: for most of them a sum says nothing.
 */
export class MergedMetrics {
  readonly #latest = new Map<number, Report>();
  #ended: Report = [];

  /** Replaces the earlier report of the process. */
  report(process: number, report: Report): void {
    this.#latest.set(process, report);
  }

  /** What the process counted until its last report stays. */
  end(process: number): void {
    const last = this.#latest.get(process) ?? [];
    this.#latest.delete(process);
    this.#ended = merge([
      this.#ended,
      last.filter(({ type }) => type !== 'gauge'),
    ]).getMetricsAsArray() as never;
  }

  text(): Promise<string> {
    const reports = [...this.#latest].map(([process, report]) =>
      report.map((metric) => (metric.type === 'gauge' ? labelled(metric, process) : metric)),
    );
    return merge([...reports, this.#ended]).metrics();
  }
}

function labelled(metric: MetricReport, process: number): MetricReport {
  const values = metric.values.map((value) => ({ ...value, labels: { ...value.labels, process } }));
  // The library would take the average of some, and leave others out.
  return { ...metric, values, aggregator: 'sum' };
}

function merge(reports: readonly Report[]): Registry {
  return AggregatorRegistry.aggregate(reports.filter((report) => report.length > 0));
}
