import { unscheduleVariants } from '../content/unschedule-variants.ts';
import { ServiceError } from '../errors.ts';
import type { Reference } from '../model/inputs.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { type LocatedVariant, locateVariant, recordVariant } from './locate-variant.ts';
import { refuseInvalid } from './refuse-invalid.ts';

/**
 * The way from draft to public and back, per language variant. A variant has a draft, a published version,
 * or both; the latest is the draft where there is one.
 */

/**
 * Makes the draft public. Publishing what is published already changes nothing.
 * @throws invalidBody when the draft breaks rules of its type
 */
export async function publishVariant(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locateVariant(transaction, itemReference, languageReference);
  if (located.variant.draft === null) return;
  await refuseInvalid(transaction, [{ located, path: '' }]);
  await publishLocated(transaction, located);
}

/** Of a draft that was checked (`refuseInvalid`). */
export async function publishLocated(
  transaction: ProjectTransaction,
  located: LocatedVariant,
): Promise<void> {
  const { variant, item, language } = located;
  if (variant.draft === null) return;
  if (variant.scheduled_to !== null) await unscheduleVariants(transaction, item.number, language.number);
  await transaction.tx.run(
    'UPDATE variant SET published = draft, draft = NULL, was_published = 1 WHERE number = ?',
    [variant.number],
  );
  record(transaction, located, 'publish');
}

/**
 * Takes the variant out of delivery; its latest version stays as the draft.
 * @throws notPublished (213)
 */
export async function unpublishVariant(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locateVariant(transaction, itemReference, languageReference);
  const { variant } = located;
  if (variant.published === null)
    throw new ServiceError(
      'notPublished',
      'The language variant is not published, so it cannot be unpublished.',
    );
  await transaction.tx.run(
    'UPDATE variant SET draft = coalesce(draft, published), published = NULL WHERE number = ?',
    [variant.number],
  );
  record(transaction, located, 'unpublish');
}

/**
 * Opens a published variant for changes: its draft starts as the published version.
 * @throws newVersionOfUnpublished (214)
 */
export async function newVersion(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locateVariant(transaction, itemReference, languageReference);
  const { variant } = located;
  if (variant.published === null)
    throw new ServiceError(
      'newVersionOfUnpublished',
      'The language variant is not published; change its draft instead of making a new version.',
    );
  if (variant.draft !== null) return;
  await transaction.tx.run('UPDATE variant SET draft = published WHERE number = ?', [variant.number]);
  transaction.touchItem(located.item.number, 'latest');
  recordVariant(transaction, located, 'new_version');
}

function record(transaction: ProjectTransaction, located: LocatedVariant, operation: string): void {
  // Who previews gets the same version before and after.
  transaction.touchItem(located.item.number, 'published');
  recordVariant(transaction, located, operation);
}
