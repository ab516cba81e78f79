import type { CountedSurface } from '../../config/quota-settings.ts';

export { COUNTED_SURFACES, type CountedSurface } from '../../config/quota-settings.ts';

export interface UsageCount {
  readonly project: string;
  readonly surface: CountedSurface;
  /** `2026-11-20`, UTC. */
  readonly day: string;
  readonly calls: number;
}

/** Counts of one source. Core adds each batch once, however often it is sent. */
export interface UsageBatch {
  /** Random id of a gateway process. */
  readonly source: string;
  /** Counts up with each batch of the source; a batch that is sent again keeps number and content. */
  readonly number: number;
  readonly counts: readonly UsageCount[];
}

export interface QuotaState {
  readonly surface: CountedSurface;
  readonly period: 'day' | 'month';
  /** Calls that the period allows. */
  readonly limit: number;
  /** Calls in the present period. */
  readonly used: number;
  /** ISO time at which the next period starts. */
  readonly ends: string;
}
