import { unscheduleVariants } from '../content/unschedule-variants.ts';
import { elementsOf, findVersion, type Version } from '../content/versions.ts';
import { ServiceError } from '../errors.ts';
import type { Reference } from '../model/inputs.ts';
import { forbid } from '../model/issues.ts';
import type { Field } from '../model/model.ts';
import { requireEdit } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { changedFields } from './find-differences.ts';
import { draftOf, type LocatedVariant, locateVariant, recordVariant } from './locate-variant.ts';

/** What is lost with a draft. */
export interface DiscardPlan {
  /** That the published version has otherwise. */
  readonly elements: readonly Field[];
  readonly written: string;
  /** Null = the installation. */
  readonly author: Version['user'];
  readonly scheduledTo: string | null;
  /** Number of the draft's version, which stays in the history. */
  readonly version: number;
}

/** @throws domainRule where there is no draft, or no published version to go back to */
export async function planDiscard(
  view: ProjectView,
  itemReference: Reference,
  languageReference: Reference,
): Promise<DiscardPlan> {
  return (await planned(view, itemReference, languageReference)).plan;
}

/**
 * Makes the published version the latest one again.
 * @param version of the plan; undefined = whatever the draft is
 * @throws conflict where the draft is another one
 */
export async function discardDraft(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
  version?: number,
): Promise<DiscardPlan> {
  const { plan, located } = await planned(transaction, itemReference, languageReference);
  const { item, language, variant } = located;
  if (version !== undefined && version !== plan.version)
    throw new ServiceError(
      'conflict',
      'The draft was changed since the plan was made, so nothing was discarded.',
    );
  await unscheduleVariants(transaction, item.number, language.number);
  await transaction.tx.run('UPDATE variant SET draft = NULL, last_modified = ? WHERE number = ?', [
    transaction.now,
    variant.number,
  ]);
  transaction.touchVersions(item.number, 'latest');
  recordVariant(transaction, located, 'discard_draft');
  return plan;
}

async function planned(
  view: ProjectView,
  itemReference: Reference,
  languageReference: Reference,
): Promise<{ readonly plan: DiscardPlan; readonly located: LocatedVariant }> {
  const located = await locateVariant(view, itemReference, languageReference, 'edit-content');
  const { item, language, variant } = located;
  requireEdit(view, { type: item.type, language }, variant.scheduled_to);
  if (variant.draft === null)
    forbid('The language variant has no draft; the published version is the latest.');
  if (variant.published === null)
    forbid('The language variant was never published, so nothing would remain of it; archive it instead.');
  const versioned = { item, language, number: variant.number };
  const draft = await findVersion(view, versioned, variant.draft);
  const published = await findVersion(view, versioned, variant.published);
  const before = await elementsOf(published);
  const plan = {
    elements: await changedFields(view.model, item.type, before, await draftOf(located)),
    written: draft.created,
    author: draft.user,
    scheduledTo: variant.scheduled_to,
    version: variant.draft,
  };
  return { plan, located };
}
