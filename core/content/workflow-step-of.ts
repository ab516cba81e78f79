import type { Variant } from './variant-rows.ts';
import { WORKFLOW, type WorkflowStep } from './workflow.ts';

/** The step of a variant, by its state: a published version with a draft is a draft. */
export function workflowStepOf(variant: Pick<Variant, 'draft' | 'scheduledTo'>): WorkflowStep {
  if (variant.scheduledTo !== null) return WORKFLOW.scheduled;
  return variant.draft === null ? WORKFLOW.published : WORKFLOW.draft;
}
