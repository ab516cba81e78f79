import type { Reference } from '../model/inputs.ts';
import { findReferred } from '../model/reference.ts';

export interface WorkflowStep {
  /** The same in every project. */
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  /** Ids of steps that a variant can be moved to. */
  readonly transitionsTo: readonly string[];
}

/** The workflow that the steps are of. */
export const DEFAULT_WORKFLOW_ID = '00000000-0000-0000-0000-000000000000';

/**
 * The steps of every project. The state of a variant decides its step; it reaches the last three by publishing,
 * scheduling and archiving, not by a move.
 */
export const WORKFLOW = {
  draft: step('d5492dce-fa30-416e-be33-f2afa061988b', 'Draft', ['8e172e83-945e-43c2-affd-5b0c725f986c']),
  published: step('8e172e83-945e-43c2-affd-5b0c725f986c', 'Published', []),
  scheduled: step('87c3a39a-f4ec-4046-9a53-8465c43f5d38', 'Scheduled', []),
  archived: step('8ab361ad-c88d-4d90-b191-e410a5e2b1ac', 'Archived', []),
} as const;

export const WORKFLOW_STEPS: readonly WorkflowStep[] = Object.values(WORKFLOW);

export function findWorkflowStep(reference: Reference): WorkflowStep | undefined {
  return findReferred(WORKFLOW_STEPS, reference);
}

/** The step of a variant, by its state: a published version with a draft is a draft. */
export function workflowStepOf({
  draft,
  scheduledTo,
}: {
  readonly draft: number | null;
  readonly scheduledTo: string | null;
}): WorkflowStep {
  if (scheduledTo !== null) return WORKFLOW.scheduled;
  return draft === null ? WORKFLOW.published : WORKFLOW.draft;
}

function step(id: string, name: string, transitionsTo: readonly string[]): WorkflowStep {
  return { id, name, codename: name.toLowerCase(), transitionsTo };
}
