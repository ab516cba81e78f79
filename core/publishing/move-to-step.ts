import { deleteVariant } from '../content/variants.ts';
import { findWorkflowStep, WORKFLOW } from '../content/workflow.ts';
import { ServiceError } from '../errors.ts';
import type { Reference } from '../model/inputs.ts';
import { forbid } from '../model/issues.ts';
import { describe } from '../model/reference.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { locateVariant } from './locate-variant.ts';
import { unpublishVariant } from './publish.ts';

/**
 * Moves a variant to a workflow step. The state of a variant decides its step, and other calls change the state; here
 * remain moves to the present step, and from a draft to the archive.
 * @throws publishByWorkflow (215), objectNotFound for an unknown step, domainRule for any other move
 */
export async function moveToStep(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
  stepReference: Reference,
): Promise<void> {
  const { variant } = await locateVariant(transaction, itemReference, languageReference, 'edit-content');
  const step = findWorkflowStep(stepReference);
  if (!step)
    throw new ServiceError('objectNotFound', `There is no workflow step with ${describe(stepReference)}.`);
  switch (step.id) {
    case WORKFLOW.published.id:
      throw new ServiceError(
        'publishByWorkflow',
        "A variant does not get to the step 'Published' by a move; publish it with '/publish'.",
      );
    case WORKFLOW.scheduled.id:
      if (variant.scheduled_to !== null) return;
      forbid("Schedule the variant with '/publish' and a time in 'scheduled_to'.");
      break;
    case WORKFLOW.archived.id:
      if (variant.published !== null)
        forbid("The variant is published; unpublish and archive it with '/unpublish-and-archive'.");
      return deleteVariant(transaction, itemReference, languageReference);
    default:
      if (variant.scheduled_to !== null)
        forbid("The variant is scheduled; take that back with '/cancel-scheduled-publish'.");
      if (variant.draft === null)
        forbid("The variant is published; open it for changes with '/new-version', or '/unpublish' it.");
  }
}

/** @throws notPublished (213) */
export async function unpublishAndArchive(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  await unpublishVariant(transaction, itemReference, languageReference);
  await deleteVariant(transaction, itemReference, languageReference);
}
