import type { Config } from '../../config/load-config.ts';
import type { SurfaceName } from '../../plugins/contract.ts';
import type { Limits, Verdict } from '../../plugins/counters/limiter.ts';

/** What a gateway process starts with. */
export interface ProcessStart {
  readonly config: Config;
  /** Folder of the operator's files, where own plugins are found. */
  readonly configFolder: string | undefined;
}

/** Where a gateway process serves. */
export interface ServingFacts {
  readonly urls: { readonly http: string; readonly https?: string };
  readonly surfaces: Readonly<Record<SurfaceName, string>>;
}

/** One gateway process of a machine, for the health page. */
export interface ProcessFacts {
  /** From 1; its replacement has the same. */
  readonly number: number;
  /** Undefined while it is being replaced. */
  readonly pid: number | undefined;
  /** ISO 8601. */
  readonly started: string;
  /** Undefined where it serves not yet, or does not answer. */
  readonly connections: number | undefined;
  readonly digest: string | undefined;
}

/** A metric as `registry.getMetricsAsJSON()` has it. */
export interface MetricReport {
  readonly name: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly { readonly value: number; readonly labels: object }[];
}

/** What a gateway process calls on its supervisor. */
export type SupervisorCalls = {
  readonly start: { readonly input: null; readonly output: ProcessStart };
  readonly serving: { readonly input: ServingFacts; readonly output: null };
  /** Why it cannot serve, in one sentence; it ends then. */
  readonly failed: { readonly input: string; readonly output: null };
  /** One call of a rate limit, see `Limiter`. */
  readonly take: {
    readonly input: { readonly subject: string; readonly limits: Limits };
    readonly output: Verdict;
  };
  /** The subject of a call that a limiter over several machines admitted. */
  readonly charge: { readonly input: string; readonly output: null };
  /** A wrong key or token from an address. */
  readonly failedAttempt: { readonly input: string; readonly output: null };
  /** Prometheus text of all processes. */
  readonly metrics: { readonly input: null; readonly output: string };
  readonly processes: { readonly input: null; readonly output: readonly ProcessFacts[] };
};

/** What the supervisor calls on a gateway process. */
export type GatewayProcessCalls = {
  /** The first half of a reload; `apply` or `discard` follows. */
  readonly prepare: { readonly input: Config; readonly output: null };
  readonly apply: { readonly input: null; readonly output: null };
  readonly discard: { readonly input: null; readonly output: null };
  /** Whether the address was blocked. */
  readonly unblock: { readonly input: string; readonly output: boolean };
  /** A failed attempt that another process saw. */
  readonly failedAttempt: { readonly input: string; readonly output: null };
  readonly metrics: { readonly input: null; readonly output: readonly MetricReport[] };
  readonly facts: {
    readonly input: null;
    readonly output: Pick<ProcessFacts, 'connections' | 'digest'>;
  };
  /** Drains and ends. */
  readonly stop: { readonly input: null; readonly output: null };
};
