import { randomUUID } from 'node:crypto';
import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';
import { type Core, isErrorName, LastingFailure, ServiceError } from '../../core/contract.ts';
import type { Clock, FailedAttempts, Log, Metrics, PluginServices } from '../../plugins/contract.ts';

export const systemClock: Clock = { now: () => new Date(), monotonic: () => performance.now() };
const HEX_BYTES = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));
const IDS_PER_PREFIX = 65_536;

/** Numbers from 0 to 65,535 as four digits, again and again; `onFirst` is called in front of each first one. */
function counter(onFirst: () => void): () => string {
  let used = IDS_PER_PREFIX;
  return () => {
    if (used === IDS_PER_PREFIX) {
      onFirst();
      used = 0;
    }
    const number = used;
    used += 1;
    return HEX_BYTES[number >> 8]! + HEX_BYTES[number & 255]!;
  };
}

let idPrefix = '';
const idDigits = counter(() => {
  idPrefix = randomUUID().slice(0, -4);
});

let tracePrefix = '';
const traceDigits = counter(() => {
  tracePrefix = randomUUID().replaceAll('-', '').slice(0, -4);
});

/** A random UUID whose last four digits are a counter; 65,536 ids share a prefix. 0.03 µs an id instead of 0.2. */
export const randomIds: PluginServices['ids'] = {
  // The digits first: they may begin a prefix.
  newId: () => {
    const digits = idDigits();
    return idPrefix + digits;
  },
  newTrace: () => {
    const digits = traceDigits();
    return tracePrefix + digits;
  },
};

/** The service's part of what each plugin is given. */
export interface SharedServices {
  readonly core: Core;
  readonly vendor: PluginServices['vendor'];
  readonly process: PluginServices['process'];
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: PluginServices['ids'];
  readonly report: PluginServices['report'];
  readonly failedAttempts: FailedAttempts;
  readonly limiter?: PluginServices['limiter'] | undefined;
  readonly callTotals?: PluginServices['callTotals'] | undefined;
  /** All metrics, where they are more than those of the registry. */
  readonly metricsText?: (() => Promise<string>) | undefined;
  /** Does something once the pipeline is the current one; at once where that is absent. */
  readonly whenActive?: ((act: () => void) => void) | undefined;
  /** State of all plugins that outlives a reload. */
  readonly states: Map<string, unknown>;
  logFor(plugin: string): Log;
}

export function makePluginServices(plugin: string, parts: SharedServices): PluginServices {
  return {
    log: parts.logFor(plugin),
    clock: parts.clock,
    ids: parts.ids,
    metrics: makeMetrics(plugin, parts.registry, parts.metricsText, parts.logFor(plugin), parts.whenActive),
    core: parts.core,
    feed: parts.core.feed,
    failedAttempts: parts.failedAttempts,
    ...(parts.limiter && { limiter: parts.limiter }),
    ...(parts.callTotals && { callTotals: parts.callTotals }),
    vendor: parts.vendor,
    process: parts.process,
    report: parts.report,
    refusal(error, message, headers) {
      if (!isErrorName(error))
        throw new TypeError(`'${error}' is no name of an error; core/errors.ts has them.`);
      return new ServiceError(error, message, headers && { headers });
    },
    state<T>(name: string, make: () => T): T {
      const key = `${plugin}/${name}`;
      if (!parts.states.has(key)) parts.states.set(key, make());
      return parts.states.get(key) as T;
    },
  };
}

/** Type and labels of the metrics made here. */
const shapes = new WeakMap<Metric, string>();

export function makeMetrics(
  plugin: string,
  registry: Registry,
  text: Metrics['text'] = () => registry.metrics(),
  log?: Log,
  whenActive = (act: () => void) => act(),
): Metrics {
  const prefix = `headwater_${plugin.replaceAll('-', '_')}_`;
  const registers = [registry];

  /** Reuses the metric after a reload, so that counts continue; with another type or other labels it starts again. */
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

  /**
   * The library reads this property; a metric of before a reload gets the function of after it. Where that throws, the metric
   * keeps its value: the page has those of all plugins.
   */
  function collected<M extends Metric>(metric: M, collect: (() => void) | undefined): M {
    if (collect === undefined) return metric;
    const failure = new LastingFailure();
    const attempt = async () => {
      try {
        await collect();
        failure.end();
      } catch (error) {
        if (failure.begin()) log?.error({ error }, 'A metric of a plugin could not be read.');
      }
    };
    whenActive(() => Object.assign(metric, { collect: attempt }));
    return metric;
  }

  return {
    registry,
    text,
    counter: (name, help, labelNames = [], collect = undefined) =>
      collected(
        once('counter', name, labelNames, (common) => new Counter({ ...common, help, labelNames })),
        collect,
      ),
    gauge(name, help, labelNames = [], read = undefined) {
      const gauge = once('gauge', name, labelNames, (common) => new Gauge({ ...common, help, labelNames }));
      return collected(gauge, read && (() => gauge.set(read())));
    },
    histogram: (name, help, { labels: labelNames = [], buckets }) =>
      once(
        'histogram',
        name,
        labelNames,
        (common) => new Histogram({ ...common, help, labelNames, buckets: [...buckets] }),
      ),
  };
}
