import { randomUUID } from 'node:crypto';
import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';
import type { Core } from '../core/contract.ts';
import type { Clock, Kit, Log, Metrics } from '../plugins/contract.ts';

export const systemClock: Clock = { now: () => new Date(), monotonic: () => performance.now() };
export const randomIds: Kit['ids'] = { newId: () => randomUUID() };

/** What every plugin's kit is made of. */
export interface KitParts {
  readonly core: Core;
  readonly vendor: Kit['vendor'];
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: Kit['ids'];
  readonly report: Kit['report'];
  /** Long-lived state of all plugins, kept by whoever reloads the pipeline. */
  readonly states: Map<string, unknown>;
  logFor(plugin: string): Log;
}

export function makeKit(plugin: string, parts: KitParts): Kit {
  return {
    log: parts.logFor(plugin),
    clock: parts.clock,
    ids: parts.ids,
    metrics: makeMetrics(plugin, parts.registry),
    core: parts.core,
    feed: parts.core.feed,
    vendor: parts.vendor,
    report: parts.report,
    state<T>(name: string, make: () => T): T {
      const key = `${plugin}/${name}`;
      if (!parts.states.has(key)) parts.states.set(key, make());
      return parts.states.get(key) as T;
    },
  };
}

function makeMetrics(plugin: string, registry: Registry): Metrics {
  const prefix = `headwater_${plugin.replaceAll('-', '_')}_`;
  const registers = [registry];
  // Found again after a reload: the library refuses the same name twice, and counts must go on.
  const once = <M extends Metric>(name: string, make: () => M) =>
    (registry.getSingleMetric(name) as M | undefined) ?? make();
  return {
    registry,
    counter: (name, help, labelNames = []) =>
      once(prefix + name, () => new Counter({ name: prefix + name, help, labelNames, registers })),
    gauge: (name, help, labelNames = []) =>
      once(prefix + name, () => new Gauge({ name: prefix + name, help, labelNames, registers })),
    histogram: (name, help, { labels: labelNames = [], buckets }) =>
      once(
        prefix + name,
        () => new Histogram({ name: prefix + name, help, labelNames, buckets: [...buckets], registers }),
      ),
  };
}
