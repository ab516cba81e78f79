import { ServiceError } from '../errors.ts';
import type { Session } from '../session.ts';
import type { Reference, VariantInput } from './inputs.ts';
import { forbid, Issues } from './issues.ts';
import { ITEM_COLUMN, type Item, type ItemRow, itemNotFound, itemTags, toItem } from './item-rows.ts';
import { deleteItem } from './items.ts';
import { findLanguage } from './languages.ts';
import type { Language } from './model.ts';
import { readElements } from './read-elements.ts';
import { formOf } from './reference.ts';
import { ReferencedContent } from './referenced.ts';
import { refuseRepeatedComponents } from './value-checks.ts';
import type { StoredElements } from './values.ts';

/** The latest version of a language variant. */
export interface Variant {
  readonly item: Item;
  readonly language: Language;
  /** Values by element id; an element that was never written has none. */
  readonly elements: StoredElements;
  readonly lastModified: string;
  /** Storage numbers of the versions; the latest is the draft where there is one. */
  readonly draft: number | null;
  readonly published: number | null;
  /** Made by this call. */
  readonly created: boolean;
}

interface LocatedRow extends ItemRow {
  readonly variant: number | null;
  readonly draft: number | null;
  readonly published: number | null;
  readonly variant_modified: string | null;
  readonly variant_archived: string | null;
  readonly elements: string | null;
}

/**
 * Writes the elements that are given, the others stay. Four statements, and one for each kind and form of
 * references not met before in the session. Identical content changes nothing.
 * @throws domainRule for a published variant without a new version (design section 7)
 */
export async function upsertVariant(
  session: Session,
  itemReference: Reference,
  languageReference: Reference,
  input: VariantInput,
): Promise<Variant> {
  const { tx, model } = session;
  const language = findLanguage(session, languageReference);
  refuseInactive(language);
  const row = await locate(session, itemReference, language);
  const item = toItem(session, row);
  const alive = row.variant !== null && row.variant_archived === null;
  if (alive && row.draft === null && row.published !== null) {
    forbid(
      `The variant '${language.codename}' of the item '${item.codename}' is published. Make a new version of it, or unpublish it, before you change it.`,
    );
  }
  const before: StoredElements = alive && row.elements !== null ? JSON.parse(row.elements) : {};
  const issues = new Issues();
  const content = new ReferencedContent(session, issues);
  const read = readElements({ model, issues, content }, item.type, input?.elements, before);
  await content.resolve();
  issues.refuse();
  const elements = read();
  refuseRepeatedComponents(issues, item.type, elements);
  issues.refuse();

  const text = JSON.stringify(elements);
  const located = { item, language, draft: row.draft, published: row.published };
  if (alive && sameElements(before, elements)) {
    return { ...located, elements: before, lastModified: row.variant_modified ?? '', created: false };
  }
  const variant = row.variant ?? (await tx.numbers('variant'));
  const version = await tx.numbers('version');
  if (row.variant === null) {
    await tx.insert(
      'variant',
      ['number', 'item', 'language', 'draft', 'last_modified'],
      [[variant, item.number, language.number, version, session.now]],
    );
  } else if (alive) {
    await tx.run('UPDATE variant SET draft = ?, last_modified = ? WHERE number = ?', [
      version,
      session.now,
      variant,
    ]);
  } else {
    await tx.run(
      `UPDATE variant SET draft = ?, published = NULL, scheduled_to = NULL, was_published = 0, archived = NULL,
       last_modified = ? WHERE number = ?`,
      [version, session.now, variant],
    );
  }
  await tx.insert(
    'version',
    ['number', 'variant', 'elements', 'created', 'account', 'sequence'],
    [[version, variant, text, session.now, session.actor, tx.sequence]],
  );
  session.touchItem(item.number);
  session.change(
    'content_item_variant',
    alive ? 'upsert' : 'create',
    `${item.id}/${language.id}`,
    itemTags(item),
  );
  return {
    ...located,
    elements,
    draft: version,
    published: alive ? row.published : null,
    lastModified: session.now,
    created: !alive,
  };
}

/** @throws itemNotFound, languageNotFound, variantNotFound; also for a deactivated language (spec 2.7) */
export async function findVariant(
  session: Session,
  itemReference: Reference,
  languageReference: Reference,
): Promise<Variant> {
  const language = findLanguage(session, languageReference);
  const row = await locate(session, itemReference, language);
  const item = toItem(session, row);
  if (row.variant === null || row.variant_archived !== null || !language.isActive) {
    throw variantNotFound(item, language);
  }
  return {
    item,
    language,
    elements: JSON.parse(row.elements ?? '{}'),
    draft: row.draft,
    published: row.published,
    lastModified: row.variant_modified ?? '',
    created: false,
  };
}

/** Out of sight, published or not; the item goes with its last variant (facts 3.5). */
export async function deleteVariant(
  session: Session,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const { item, language } = await findVariant(session, itemReference, languageReference);
  const { tx } = session;
  const other = await tx.get(
    'SELECT number FROM variant WHERE item = ? AND language <> ? AND archived IS NULL LIMIT 1',
    [item.number, language.number],
  );
  if (!other) return deleteItem(session, { id: item.id });
  await tx.run('UPDATE variant SET archived = ?, scheduled_to = NULL WHERE item = ? AND language = ?', [
    session.now,
    item.number,
    language.number,
  ]);
  session.touchItem(item.number);
  session.change('content_item_variant', 'archive', `${item.id}/${language.id}`, itemTags(item));
}

/** @throws variantNotFound for a variant that is not archived */
export async function restoreVariant(
  session: Session,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const language = findLanguage(session, languageReference);
  const row = await locate(session, itemReference, language);
  const item = toItem(session, row);
  if (row.variant === null || row.variant_archived === null) throw variantNotFound(item, language);
  await session.tx.run('UPDATE variant SET archived = NULL WHERE number = ?', [row.variant]);
  session.touchItem(item.number);
  session.change('content_item_variant', 'restore', `${item.id}/${language.id}`, itemTags(item));
}

/** The item with its variant in the language, if any, in one statement. */
async function locate(session: Session, reference: Reference, language: Language): Promise<LocatedRow> {
  const wanted = formOf(reference);
  const row =
    wanted &&
    (await session.tx.get<LocatedRow>(
      `SELECT i.number AS number, i.id AS id, i.name AS name, i.codename AS codename,
         i.external_id AS external_id, i.type AS type, i.sitemap_locations AS sitemap_locations,
         i.created AS created, i.last_modified AS last_modified, i.archived AS archived,
         v.number AS variant, v.draft AS draft, v.published AS published,
         v.last_modified AS variant_modified, v.archived AS variant_archived, n.elements AS elements
       FROM item i LEFT JOIN variant v ON v.item = i.number AND v.language = ?
         LEFT JOIN version n ON n.number = COALESCE(v.draft, v.published)
       WHERE i.project = ? AND i.${ITEM_COLUMN[wanted.form]} = ? AND i.type IS NOT NULL AND i.archived IS NULL`,
      [language.number, session.project.number, wanted.text],
    ));
  if (!row) throw itemNotFound(reference);
  return row;
}

function refuseInactive(language: Language): void {
  if (language.isActive) return;
  throw new ServiceError('languageNotFound', `The language '${language.codename}' is not active.`);
}

function variantNotFound(item: Item, language: Language): ServiceError {
  return new ServiceError(
    'variantNotFound',
    `The item '${item.codename}' has no variant in the language '${language.codename}'.`,
  );
}

/** By element; the order of the keys says nothing. */
function sameElements(before: StoredElements, after: StoredElements): boolean {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const key of keys) if (JSON.stringify(before[key]) !== JSON.stringify(after[key])) return false;
  return true;
}
