import type { Reference } from '../content/inputs.ts';
import { findItem } from '../content/items.ts';
import { findLanguage } from '../content/languages.ts';
import type { Language } from '../content/model.ts';
import { ServiceError } from '../errors.ts';
import type { Session } from '../session.ts';

/**
 * The way from draft to public and back, per language variant. A variant has a draft, a published version,
 * or both; the latest is the draft where there is one.
 */

interface VariantRow {
  readonly number: number;
  readonly draft: number | null;
  readonly published: number | null;
}

interface Located {
  readonly item: {
    readonly number: number;
    readonly id: string;
    readonly codename: string;
    readonly type: string;
  };
  readonly language: Language;
  readonly variant: VariantRow;
}

/** Makes the draft public. Publishing what is published already changes nothing. */
export async function publishVariant(
  session: Session,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locate(session, itemReference, languageReference);
  const { variant } = located;
  if (variant.draft === null) return;
  await session.tx.run(
    'UPDATE variant SET published = draft, draft = NULL, was_published = 1, scheduled_to = NULL WHERE number = ?',
    [variant.number],
  );
  record(session, located, 'publish');
}

/**
 * Takes the variant out of delivery; its latest version stays as the draft.
 * @throws notPublished (213)
 */
export async function unpublishVariant(
  session: Session,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locate(session, itemReference, languageReference);
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
  session: Session,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const located = await locate(session, itemReference, languageReference);
  const { variant } = located;
  if (variant.published === null)
    throw new ServiceError(
      'newVersionOfUnpublished',
      'The language variant is not published; change its draft instead of making a new version.',
    );
  if (variant.draft !== null) return;
  await session.tx.run('UPDATE variant SET draft = published WHERE number = ?', [variant.number]);
  record(session, located, 'new_version');
}

async function locate(
  session: Session,
  itemReference: Reference,
  languageReference: Reference,
): Promise<Located> {
  const item = await findItem(session, itemReference);
  const language = findLanguage(session, languageReference);
  const variant = await session.tx.get<VariantRow & Record<string, number | null>>(
    'SELECT number, draft, published FROM variant WHERE item = ? AND language = ? AND archived IS NULL',
    [item.number, language.number],
  );
  if (!variant)
    throw new ServiceError(
      'variantNotFound',
      `The item '${item.codename}' has no variant in the language '${language.codename}'.`,
    );
  return { item: { ...item, type: item.type.codename }, language, variant };
}

function record(session: Session, { item, language }: Located, operation: string): void {
  session.touchItem(item.number);
  session.change('content_item_variant', operation, `${item.id}/${language.id}`, [
    `item:${item.codename}`,
    `members:${item.type}`,
  ]);
}
