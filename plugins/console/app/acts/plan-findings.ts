import type { Issue } from '../api.ts';
import type { Dangling } from './act-data.ts';

/** A form that a plan may be about: what the plan finds is shown at the elements. */
export interface PlanFindings {
  /** Shows what was found, in place of what was found before. */
  take(violations: readonly Issue[], dangling: readonly Dangling[]): void;
  /** The element that a finding is about; undefined: the form does not have it. */
  elementOf(finding: Issue | Dangling): FoundElement | undefined;
}

export interface FoundElement {
  readonly name: string;
  /** Opens what the element is in, and focuses its input. */
  show(): void;
}
