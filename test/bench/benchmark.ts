import type { Datasets } from './datasets.ts';
import type { LoadClient } from './load-client.ts';

/** A number that a measure found, with the target for it. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `×` for ratios; else the unit. */
  readonly unit: '×' | 'ms' | 's' | 'MB' | 'items/s' | 'ms CPU' | 'queries' | 'tasks' | 'rows' | 'servers';
  /** The least and the greatest of the rounds. */
  readonly spread?: readonly [number, number];
  /** Absent: the figure is reported only. */
  readonly target?: Target;
  /** Numbers behind the figure, for people. */
  readonly detail?: string;
}

export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** What a measure is given. All it starts is ended after it, whatever happens. */
export interface Bench {
  readonly datasets: Datasets;
  readonly load: LoadClient;
  /** Rounds of each side, an odd number. */
  readonly rounds: number;
  /** The large project: `--items`, by default 100,000 published items, 20,000 in a quick run. */
  readonly large: number;
  /** Scales counts of requests down in a quick run. */
  requests(full: number): number;
  progress(text: string): void;
}

export interface Measure {
  /** For `--only`. */
  readonly name: string;
  readonly about: string;
  run(bench: Bench): Promise<readonly Figure[]>;
  /** What `compare` measures of two checkouts. */
  readonly compare: Comparison | LeftOut;
}

/**
 * Prepares services of the checkout whose data `bench` has, and returns the turns that are taken again and again, by
 * name. They use the command line and the HTTP surface of that checkout, never its modules.
 */
export type Comparison = (bench: Bench) => Promise<Readonly<Record<string, Turn>>>;

export type Turn = () => Promise<Sample>;

/** Why a measure is not compared. */
export interface LeftOut {
  readonly leftOut: string;
}

/** What one turn found. */
export type Sample = { readonly [Name in Quantity]?: number };

/** What a turn can find, and whether more or less of it is better. */
export const QUANTITIES = {
  perSecond: { unit: '/s', better: 'more' },
  cpu: { unit: 'ms CPU each', better: 'less' },
  p50: { unit: 'ms p50', better: 'less' },
  p99: { unit: 'ms p99', better: 'less' },
  milliseconds: { unit: 'ms', better: 'less' },
  seconds: { unit: 's', better: 'less' },
} as const;

export type Quantity = keyof typeof QUANTITIES;

export interface Benchmark {
  readonly name: string;
  readonly about: string;
  readonly measures: readonly Measure[];
}
