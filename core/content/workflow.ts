import type { Reference } from './inputs.ts';
import { findReferred } from './reference.ts';

export interface WorkflowStep {
  /** The same in every project. */
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  /** Ids of the steps that a variant can be moved to from here. */
  readonly transitionsTo: readonly string[];
}

/**
 * The steps of every project. A variant is in one of them by its state; it gets to the last three by publishing,
 * scheduling and archiving, not by a move.
 */
export const WORKFLOW = {
  draft: step('0d0a5e6e-6c1c-4a38-96e1-0d61221a0001', 'Draft', ['0d0a5e6e-6c1c-4a38-96e1-0d61221a0002']),
  published: step('0d0a5e6e-6c1c-4a38-96e1-0d61221a0002', 'Published', []),
  scheduled: step('0d0a5e6e-6c1c-4a38-96e1-0d61221a0003', 'Scheduled', []),
  archived: step('0d0a5e6e-6c1c-4a38-96e1-0d61221a0004', 'Archived', []),
} as const;

export const WORKFLOW_STEPS: readonly WorkflowStep[] = Object.values(WORKFLOW);

export function findWorkflowStep(reference: Reference): WorkflowStep | undefined {
  return findReferred(WORKFLOW_STEPS, reference);
}

function step(id: string, name: string, transitionsTo: readonly string[]): WorkflowStep {
  return { id, name, codename: name.toLowerCase(), transitionsTo };
}
