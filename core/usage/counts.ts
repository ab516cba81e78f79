import type { CountedSurface } from '../../config/quota-settings.ts';

export { COUNTED_SURFACES, type CountedSurface } from '../../config/quota-settings.ts';

export interface UsageCount {
  readonly project: string;
  readonly surface: CountedSurface;
  /** `2026-11-20`, UTC. */
  readonly day: string;
  readonly calls: number;
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
