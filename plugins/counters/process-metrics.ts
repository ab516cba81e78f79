import { collectDefaultMetrics, Registry } from 'prom-client';

let own: Registry | undefined;

/** Adds the metrics of this process. The library cannot end what collects them, so that all registries share it. */
export function registerProcessMetrics(registry: Registry): void {
  if (own === undefined) {
    own = new Registry();
    collectDefaultMetrics({ register: own });
  }
  for (const { name } of own.getMetricsAsArray()) registry.registerMetric(own.getSingleMetric(name)!);
}
