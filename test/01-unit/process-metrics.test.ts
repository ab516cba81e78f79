import { expect } from 'chai';
import { Registry } from 'prom-client';
import { registerProcessMetrics } from '../../plugins/counters/process-metrics.ts';

describe('metrics of the process', () => {
  it('are collected once for all registries, as nothing ends what collects them', async () => {
    const [one, another] = [new Registry(), new Registry()];
    for (const registry of [one, another, another]) registerProcessMetrics(registry);
    for (const name of ['nodejs_gc_duration_seconds', 'nodejs_eventloop_lag_seconds']) {
      expect(one.getSingleMetric(name), name).to.not.equal(undefined);
      expect(one.getSingleMetric(name), name).to.equal(another.getSingleMetric(name));
    }
    expect(await another.metrics()).to.include('\nprocess_resident_memory_bytes ');
  });
});
