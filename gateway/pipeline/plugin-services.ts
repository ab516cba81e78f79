import { randomUUID } from 'node:crypto';
import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';
import type { Core } from '../../core/contract.ts';
import type { Clock, FailedAttempts, Log, Metrics, PluginServices } from '../../plugins/contract.ts';

export const systemClock: Clock = { now: () => new Date(), monotonic: () => performance.now() };
/** The last four digits of ids, by halves. */
const HALVES = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));
const IDS_OF_A_STEM = 65_536;
let stem = '';
let used = IDS_OF_A_STEM;

/** A random UUID whose last four digits count on, and after 65,536 ids another: 0.03 µs instead of 0.2. */
export const randomIds: PluginServices['ids'] = {
  newId() {
    if (used === IDS_OF_A_STEM) {
      stem = randomUUID().slice(0, -4);
      used = 0;
    }
    const number = used;
    used += 1;
    return stem + HALVES[number >> 8]! + HALVES[number & 255]!;
  },
};

/** What every plugin's services is made of. */
export interface SharedServices {
  readonly core: Core;
  readonly vendor: PluginServices['vendor'];
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: PluginServices['ids'];
  readonly report: PluginServices['report'];
  readonly failedAttempts: FailedAttempts;
  /** Long-lived state of all plugins, kept by whoever reloads the pipeline. */
  readonly states: Map<string, unknown>;
  logFor(plugin: string): Log;
}

export function makePluginServices(plugin: string, parts: SharedServices): PluginServices {
  return {
    log: parts.logFor(plugin),
    clock: parts.clock,
    ids: parts.ids,
    metrics: makeMetrics(plugin, parts.registry),
    core: parts.core,
    feed: parts.core.feed,
    failedAttempts: parts.failedAttempts,
    vendor: parts.vendor,
    report: parts.report,
    state<T>(name: string, make: () => T): T {
      const key = `${plugin}/${name}`;
      if (!parts.states.has(key)) parts.states.set(key, make());
      return parts.states.get(key) as T;
    },
  };
}

/** Kind and labels of the metrics made here. */
const shapes = new WeakMap<Metric, string>();

export function makeMetrics(plugin: string, registry: Registry): Metrics {
  const prefix = `headwater_${plugin.replaceAll('-', '_')}_`;
  const registers = [registry];

  /** Found again after a reload, so that counts go on; one that a changed plugin wants otherwise begins anew. */
  function once<M extends Metric>(
    shape: string,
    name: string,
    labels: readonly string[],
    make: (common: { name: string; registers: Registry[] }) => M,
  ): M {
    const wanted = `${shape} ${labels.join()}`;
    const known = registry.getSingleMetric(prefix + name) as M | undefined;
    if (known !== undefined && (shapes.get(known) ?? wanted) === wanted) return known;
    registry.removeSingleMetric(prefix + name);
    const made = make({ name: prefix + name, registers });
    shapes.set(made, wanted);
    return made;
  }

  return {
    registry,
    counter: (name, help, labelNames = []) =>
      once('counter', name, labelNames, (common) => new Counter({ ...common, help, labelNames })),
    gauge: (name, help, labelNames = []) =>
      once('gauge', name, labelNames, (common) => new Gauge({ ...common, help, labelNames })),
    histogram: (name, help, { labels: labelNames = [], buckets }) =>
      once(
        'histogram',
        name,
        labelNames,
        (common) => new Histogram({ ...common, help, labelNames, buckets: [...buckets] }),
      ),
  };
}
