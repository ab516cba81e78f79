import type { Variant } from './variant-rows.ts';
import { WORKFLOW, type WorkflowStep } from './workflow.ts';

/** The step a variant is in, by its state: a draft over a published version is a draft. */
export function workflowStepOf(variant: Pick<Variant, 'draft' | 'scheduledTo'>): WorkflowStep {
  if (variant.scheduledTo !== null) return WORKFLOW.scheduled;
  return variant.draft === null ? WORKFLOW.published : WORKFLOW.draft;
}
