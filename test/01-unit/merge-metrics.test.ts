import { expect } from 'chai';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { MergedMetrics } from '../../gateway/processes/merge-metrics.ts';
import type { MetricReport } from '../../gateway/processes/process-calls.ts';

/** A process that has counted `calls`, with so many open connections. */
async function report(calls: number, connections: number): Promise<MetricReport[]> {
  const registers = [new Registry()];
  new Counter({ name: 'calls_total', help: 'Calls.', labelNames: ['kind'], registers }).inc(
    { kind: 'a' },
    calls,
  );
  new Gauge({ name: 'connections', help: 'Open.', registers, aggregator: 'omit' }).set(connections);
  const seconds = new Histogram({ name: 'seconds', help: 'Time.', buckets: [1], registers });
  for (let call = 0; call < calls; call += 1) seconds.observe(0.5);
  return (await registers[0]!.getMetricsAsJSON()) as unknown as MetricReport[];
}

describe('metrics of several processes', () => {
  it('add counters and histograms up, and have a gauge for each process', async () => {
    const merged = new MergedMetrics();
    merged.report(1, await report(3, 5));
    merged.report(2, await report(4, 6));
    const text = await merged.text();
    expect(text)
      .to.include('calls_total{kind="a"} 7')
      .and.include('seconds_count 7')
      .and.include('seconds_sum 3.5');
    expect(text).to.include('connections{process="1"} 5').and.include('connections{process="2"} 6');
  });

  it('do not fall when a process ends and another one replaces it', async () => {
    const merged = new MergedMetrics();
    merged.report(1, await report(3, 5));
    merged.report(2, await report(4, 6));
    for (let round = 1; round <= 3; round += 1) {
      merged.end(2);
      const without = await merged.text();
      expect(without)
        .to.include(`calls_total{kind="a"} ${2 + round + 4}`)
        .and.not.include('process="2"');
      merged.report(2, await report(1, 1));
      expect(await merged.text())
        .to.include(`calls_total{kind="a"} ${3 + round + 4}`)
        .and.include('seconds_count');
    }
  });
});
