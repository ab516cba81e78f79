import { Counter, Gauge, type Registry } from 'prom-client';

type Counts = Readonly<Record<string, number>>;

export interface ScrapedMetrics<Source> {
  gauge(name: string, help: string, read: (source: Source) => number): void;
  counter(name: string, help: string, read: (source: Source) => number): void;
  /** @param label of the keys of what `read` returns */
  counters(name: string, help: string, label: string, read: (source: Source) => Counts): void;
}

/**
 * Metrics whose values are read on each scrape.
 *
 * @param sources the objects to read, by the value of the label; with one that has the key '' and no label, one series
 */
export function scrapedMetrics<Source>(
  registry: Registry,
  prefix: string,
  label: string | undefined,
  sources: () => Iterable<readonly [string, Source]>,
): ScrapedMetrics<Source> {
  const registers = [registry];
  const labelNames = label === undefined ? [] : [label];
  const labelsOf = (value: string) => (label === undefined ? {} : { [label]: value });
  return {
    gauge(name, help, read) {
      new Gauge({
        name: prefix + name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const [value, source] of sources()) this.set(labelsOf(value), read(source));
        },
      });
    },
    counter(name, help, read) {
      new Counter({
        name: prefix + name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const [value, source] of sources()) this.inc(labelsOf(value), read(source));
        },
      });
    },
    counters(name, help, keyLabel, read) {
      new Counter({
        name: prefix + name,
        help,
        labelNames: [...labelNames, keyLabel],
        registers,
        collect() {
          this.reset();
          for (const [value, source] of sources())
            for (const [key, count] of Object.entries(read(source)))
              this.inc({ ...labelsOf(value), [keyLabel]: key }, count);
        },
      });
    },
  };
}
