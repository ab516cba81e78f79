import type { PagePlan } from '../storage/page-plan.ts';
import type { BoundQuery } from './bound-query.ts';

/** A query about items with its plan: all that reading their documents needs. */
export interface Reading extends BoundQuery {
  readonly plan: PagePlan;
  /** Element codenames as `projectionOf` gives them; null = all. */
  readonly elements: readonly string[] | null;
}
