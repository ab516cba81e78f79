import type { Reference } from '../content/inputs.ts';
import { ServiceError } from '../errors.ts';
import type { ProjectTransaction } from '../project-transaction.ts';
import { leaveSchedule } from './leave-schedule.ts';
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
  session: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locateVariant(session, itemReference, languageReference);
  if (located.variant.draft === null) return;
  await refuseInvalid(session, [{ located, path: '' }]);
  await publishLocated(session, located);
}

/** Of a draft that was checked (`refuseInvalid`). */
export async function publishLocated(session: ProjectTransaction, located: LocatedVariant): Promise<void> {
  const { variant, item, language } = located;
  if (variant.draft === null) return;
  if (variant.scheduled_to !== null) await leaveSchedule(session, item.number, language.number);
  await session.tx.run(
    'UPDATE variant SET published = draft, draft = NULL, was_published = 1 WHERE number = ?',
    [variant.number],
  );
  record(session, located, 'publish');
}

/**
 * Takes the variant out of delivery; its latest version stays as the draft.
 * @throws notPublished (213)
 */
export async function unpublishVariant(
  session: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locateVariant(session, itemReference, languageReference);
  const { variant } = located;
  if (variant.published === null)
    throw new ServiceError(
      'notPublished',
      'The language variant is not published, so it cannot be unpublished.',
    );
  await session.tx.run(
    'UPDATE variant SET draft = coalesce(draft, published), published = NULL WHERE number = ?',
    [variant.number],
  );
  record(session, located, 'unpublish');
}

/**
 * Opens a published variant for changes: its draft starts as the published version.
 * @throws newVersionOfUnpublished (214)
 */
export async function newVersion(
  session: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locateVariant(session, itemReference, languageReference);
  const { variant } = located;
  if (variant.published === null)
    throw new ServiceError(
      'newVersionOfUnpublished',
      'The language variant is not published; change its draft instead of making a new version.',
    );
  if (variant.draft !== null) return;
  await session.tx.run('UPDATE variant SET draft = published WHERE number = ?', [variant.number]);
  session.touchItem(located.item.number, 'latest');
  recordVariant(session, located, 'new_version');
}

function record(session: ProjectTransaction, located: LocatedVariant, operation: string): void {
  // Who previews gets the same version before and after.
  session.touchItem(located.item.number, 'published');
  recordVariant(session, located, operation);
}
