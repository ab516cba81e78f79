/** Surfaces whose calls are counted. */
export const COUNTED_SURFACES = ['delivery', 'preview', 'manage', 'assets'] as const;

export type CountedSurface = (typeof COUNTED_SURFACES)[number];

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
