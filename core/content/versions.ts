import { ServiceError } from '../errors.ts';
import { parseStored } from '../json-body/parse-stored.ts';
import type { Reference } from '../model/inputs.ts';
import type { Language } from '../model/model.ts';
import { formOf } from '../model/reference.ts';
import type { StoredElements } from '../model/values.ts';
import { requireContent } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { type Item, itemNotFound, toItem } from './item-rows.ts';
import { findLanguage } from './languages.ts';
import { type VariantRow, VERSIONED_COLUMNS, variantNotFound } from './variant-rows.ts';

/** A variant with the numbers of its versions. Archived ones count, because their history stays. */
export interface VersionedVariant {
  readonly item: Item;
  readonly language: Language;
  readonly number: number;
  readonly draft: number | null;
  readonly published: number | null;
  readonly scheduledTo: string | null;
  readonly lastModified: string;
  readonly isArchived: boolean;
}

/** @throws itemNotFound, languageNotFound, variantNotFound, forbidden */
export async function findVersioned(
  view: ProjectView,
  itemReference: Reference,
  languageReference: Reference,
): Promise<VersionedVariant> {
  const language = findLanguage(view, languageReference);
  const wanted = formOf(itemReference);
  const row =
    wanted &&
    (await view.tx.get<Omit<VariantRow, 'elements'>>(
      `SELECT ${VERSIONED_COLUMNS}
       FROM item i LEFT JOIN variant v ON v.item = i.number AND v.language = ?
       WHERE i.project = ? AND i.${wanted.form} = ? AND i.type IS NOT NULL`,
      [language.number, view.project.number, wanted.text],
    ));
  if (!row) throw itemNotFound(itemReference);
  const item = toItem(view, row);
  requireContent(view, 'view-content', { type: item.type, language });
  if (row.variant === null) throw variantNotFound(item, language);
  return {
    item,
    language,
    number: row.variant,
    draft: row.draft,
    published: row.published,
    scheduledTo: row.scheduled_to,
    lastModified: row.variant_modified ?? '',
    isArchived: row.archived !== null || row.variant_archived !== null,
  };
}

export interface Version {
  readonly number: number;
  readonly created: string;
  /** Who wrote it; null = the installation. */
  readonly user: { readonly id: string; readonly name: string | null } | null;
  /** The values as they are stored. */
  readonly text: string;
}

/** @throws objectNotFound, also for a version that is no longer kept */
export async function findVersion(
  { tx }: ProjectView,
  variant: Pick<VersionedVariant, 'number' | 'language'> & { readonly item: Pick<Item, 'codename'> },
  number: number,
): Promise<Version> {
  const row = await tx.get<{
    elements: string;
    created: string;
    account: string | null;
    name: string | null;
  }>(
    `SELECT n.elements AS elements, n.created AS created, n.account AS account, a.name AS name
     FROM version n LEFT JOIN account a ON a.id = n.account WHERE n.number = ? AND n.variant = ?`,
    [number, variant.number],
  );
  if (!row)
    throw new ServiceError(
      'objectNotFound',
      `The variant '${variant.language.codename}' of the item '${variant.item.codename}' has no version ${number}, or it is no longer kept.`,
    );
  const { elements: text, created, account, name } = row;
  return { number, created, user: account === null ? null : { id: account, name }, text };
}

export function elementsOf({ text }: Version): Promise<StoredElements> {
  return parseStored(text);
}
