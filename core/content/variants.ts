import { ServiceError } from '../errors.ts';
import { parseStored } from '../json-body/parse-stored.ts';
import type { Reference, VariantInput } from '../model/inputs.ts';
import { forbid, Issues } from '../model/issues.ts';
import type { Language } from '../model/model.ts';
import { sameButForSlugs, sameElements } from '../model/normal-value.ts';
import type { StoredElements } from '../model/values.ts';
import type { SqlValue } from '../storage/sql.ts';
import { requireContent, requireEdit } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { jsonText } from '../turns/json-bytes.ts';
import { changedVariant } from './changed-variant.ts';
import { type Item, toItem } from './item-rows.ts';
import { archiveItem, restoreItem } from './items.ts';
import { findLanguage } from './languages.ts';
import { type ReadValues, readElements } from './read-elements.ts';
import { ReferencedContent } from './referenced.ts';
import { continueSitting } from './sitting.ts';
import { unscheduleVariants } from './unschedule-variants.ts';
import { checkComponents } from './value-checks.ts';
import {
  locateVariantRow,
  locateVariantRows,
  toVariant,
  type Variant,
  type VariantRow,
  variantNotFound,
  variantOf,
} from './variant-rows.ts';
import { WORKFLOW, workflowStepOf } from './workflow.ts';

export type { Variant } from './variant-rows.ts';

interface UpsertOptions {
  /** What the actor writes in one sitting becomes one version. */
  readonly inSitting?: boolean;
  /** The writes are of several callers, who wait for each other. */
  readonly isBounded?: boolean;
}

/** Most that several callers write together, with the stored values: some 50 ms of CPU. */
const MOST_TOGETHER = { characters: 250_000, elements: 5_000 };

/** See `upsertVariants`. */
export async function upsertVariant(
  transaction: ProjectTransaction,
  item: Reference,
  language: Reference,
  input: VariantInput,
): Promise<Variant> {
  const [variant] = await upsertVariants(transaction, language, [{ item, input }]);
  if (!variant) throw new Error('A variant was neither written nor refused.');
  return variant;
}

export interface VariantWrite {
  readonly item: Reference;
  readonly input: VariantInput;
  /** Length of the input. */
  readonly characters?: number;
}

/** A variant whose values follow when references are resolved. */
interface ReadVariant {
  readonly row: VariantRow;
  readonly item: Item;
  readonly exists: boolean;
  readonly before: StoredElements;
  readonly read: ReadValues;
}

/**
 * Writes the given elements of items in one language and keeps the rest. Rows are read and written for many at once; variants that
 * were deleted are updated one by one. Identical content changes nothing.
 * @param writes each of another item
 * @throws domainRule for a published variant without a new version; an error where `isBounded` and there is
 *   too much
 */
export async function upsertVariants(
  transaction: ProjectTransaction,
  languageReference: Reference,
  writes: readonly VariantWrite[],
  { inSitting = false, isBounded = false }: UpsertOptions = {},
): Promise<Variant[]> {
  const { model } = transaction;
  const language = findLanguage(transaction, languageReference);
  refuseInactive(language);
  const rows = await locateVariantRows(
    transaction,
    writes.map(({ item }) => item),
    language,
  );
  if (new Set(rows.map(({ number }) => number)).size < rows.length)
    throw new Error('Several writes of one call are of the same item.');
  const left = { ...MOST_TOGETHER };
  const count = (what: keyof typeof left, by: number) => {
    left[what] -= by;
    if (isBounded && left[what] < 0) throw new Error(`There are too many ${what} to write together.`);
  };
  for (const [index, { elements }] of rows.entries())
    count('characters', (elements?.length ?? 0) + (writes[index]?.characters ?? 0));
  const issues = new Issues();
  const content = new ReferencedContent(transaction, issues);
  const pending: ReadVariant[] = [];
  for (const [index, row] of rows.entries()) {
    const item = toItem(transaction, row);
    // The answer shows all of it.
    requireContent(transaction, 'view-content', { type: item.type, language });
    requireEdit(transaction, { type: item.type, language }, row.scheduled_to);
    const exists = row.variant !== null && row.variant_archived === null;
    const before: StoredElements = exists && row.elements !== null ? await parseStored(row.elements) : {};
    const elements = writes[index]?.input?.elements as VariantInput['elements'];
    const read = await readElements({ model, issues, content }, item.type, elements, before);
    pending.push({ row, item, exists, before, read });
  }
  await content.resolve();
  const rowsOf = new NewRows(transaction, language, inSitting);
  const written: Variant[] = [];
  for (const one of pending) {
    // Also after issues: it may add some to the same answer.
    const elements = await one.read();
    const inComponents = checkComponents(issues, model, one.item.type, elements);
    count('elements', one.item.type.fields.length + inComponents);
    issues.refuse();
    written.push(await rowsOf.add(one, elements));
  }
  await rowsOf.insert();
  return written;
}

/** The rows of variants and versions of one call. */
class NewRows {
  readonly #transaction: ProjectTransaction;
  readonly #language: Language;
  readonly #inSitting: boolean;
  readonly #variants: SqlValue[][] = [];
  readonly #versions: SqlValue[][] = [];
  /** Versions of variants that exist. */
  readonly #drafts: number[] = [];

  constructor(transaction: ProjectTransaction, language: Language, inSitting: boolean) {
    this.#transaction = transaction;
    this.#language = language;
    this.#inSitting = inSitting;
  }

  async add({ row, item, exists, before }: ReadVariant, elements: StoredElements): Promise<Variant> {
    const transaction = this.#transaction;
    const language = this.#language;
    const { tx, model, now } = transaction;
    const hasNoDraft = exists && row.draft === null && row.published !== null;
    // Writing back what was read is no change, published or not (spec 2.7).
    const isSame = hasNoDraft ? sameButForSlugs : sameElements;
    if (exists && (await isSame(model, item.type, before, elements)))
      return variantOf(item, language, row, before);
    if (hasNoDraft) {
      forbid(
        `The variant '${language.codename}' of the item '${item.codename}' is published. Make a new version of it, or unpublish it, before you change it.`,
      );
    }
    const variant = row.variant ?? (await tx.numbers('variant'));
    const sitting = this.#inSitting
      ? await continueSitting(transaction, item, language, exists ? row : undefined)
      : null;
    const version = await tx.numbers('version');
    if (row.variant === null) this.#variants.push([variant, item.number, language.number, version, now]);
    else if (exists) this.#drafts.push(version);
    else
      await tx.run(
        `UPDATE variant SET draft = ?, published = NULL, scheduled_to = NULL, schedule = NULL, was_published = 0, archived = NULL,
         last_modified = ? WHERE number = ?`,
        [version, now, variant],
      );
    const text = await jsonText(elements);
    this.#versions.push([version, variant, text, now, transaction.actor, tx.sequence, sitting]);
    transaction.touchVersions(item.number, 'latest');
    transaction.change('content_item_variant', exists ? 'upsert' : 'create', `${item.id}/${language.id}`, []);
    return {
      number: variant,
      item,
      language,
      elements,
      draft: version,
      published: exists ? row.published : null,
      scheduledTo: exists ? row.scheduled_to : null,
      lastModified: now,
      created: !exists,
    };
  }

  async insert(): Promise<void> {
    const { tx, now } = this.#transaction;
    await tx.insert('variant', ['number', 'item', 'language', 'draft', 'last_modified'], this.#variants);
    await tx.insert(
      'version',
      ['number', 'variant', 'elements', 'created', 'account', 'sequence', 'sitting'],
      this.#versions,
    );
    if (this.#drafts.length === 0) return;
    const among = tx.among('n.number', this.#drafts);
    await tx.run(
      `UPDATE variant SET draft = n.number, last_modified = ? FROM version n
       WHERE variant.number = n.variant AND ${among.text}`,
      [now, among.parameter],
    );
  }
}

/** @throws itemNotFound, languageNotFound, variantNotFound; also for a deactivated language (spec 2.7) */
export async function findVariant(
  view: ProjectView,
  itemReference: Reference,
  languageReference: Reference,
): Promise<Variant> {
  const language = findLanguage(view, languageReference);
  const row = await locateVariantRow(view, itemReference, language);
  const item = toItem(view, row);
  requireContent(view, 'view-content', { type: item.type, language });
  if (row.variant === null || row.variant_archived !== null || !language.isActive) {
    throw variantNotFound(item, language);
  }
  return toVariant(item, language, row);
}

/** Archives the variant, published or not, and the item with its last variant. */
export async function deleteVariant(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const variant = await findVariant(transaction, itemReference, languageReference);
  const { item, language } = variant;
  requireContent(transaction, 'delete-content', { type: item.type, language });
  const { tx } = transaction;
  const other = await tx.get(
    'SELECT number FROM variant WHERE item = ? AND language <> ? AND archived IS NULL LIMIT 1',
    [item.number, language.number],
  );
  const changed = changedVariant(item, language);
  if (!other) return archiveItem(transaction, item, changed);
  await unscheduleVariants(transaction, item.number, language.number);
  await tx.run('UPDATE variant SET archived = ? WHERE item = ? AND language = ?', [
    transaction.now,
    item.number,
    language.number,
  ]);
  transaction.touchItem(item.number);
  transaction.change('content_item_variant', 'archive', `${item.id}/${language.id}`, [], {
    ...changed,
    moved: { from: workflowStepOf(variant).id, to: WORKFLOW.archived.id },
  });
}

/**
 * Restores the variant, and the item if that was archived with it as its last variant.
 * @throws variantNotFound, conflict for a variant that is not archived
 */
export async function restoreVariant(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
): Promise<void> {
  const language = findLanguage(transaction, languageReference);
  const archivedItem = await archivedWithVariant(transaction, itemReference, language);
  if (archivedItem !== undefined) {
    await restoreItem(transaction, archivedItem, language);
    return;
  }
  const row = await locateVariantRow(transaction, itemReference, language);
  const item = toItem(transaction, row);
  requireContent(transaction, 'delete-content', { type: item.type, language });
  if (row.variant === null) throw variantNotFound(item, language);
  if (row.variant_archived === null)
    throw new ServiceError('conflict', 'The language variant is not archived.');
  await transaction.tx.run('UPDATE variant SET archived = NULL WHERE number = ?', [row.variant]);
  transaction.touchItem(item.number);
  transaction.change(
    'content_item_variant',
    row.published === null ? 'restore' : 'restore_publish',
    `${item.id}/${language.id}`,
    [],
    {
      ...changedVariant(item, language),
      moved: {
        from: WORKFLOW.archived.id,
        to: workflowStepOf({ draft: row.draft, scheduledTo: row.scheduled_to }).id,
      },
    },
  );
}

/** Id of an archived item whose only variant is this one. */
async function archivedWithVariant(
  { tx, project }: ProjectTransaction,
  { id }: Reference,
  language: Language,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const variants = await tx.all<{ language: number }>(
    `SELECT v.language AS language FROM item i JOIN variant v ON v.item = i.number
     WHERE i.project = ? AND i.id = ? AND i.archived IS NOT NULL AND v.archived IS NULL LIMIT 2`,
    [project.number, id],
  );
  return variants.length === 1 && variants[0]?.language === language.number ? id : undefined;
}

function refuseInactive(language: Language): void {
  if (language.isActive) return;
  throw new ServiceError('languageNotFound', `The language '${language.codename}' is not active.`);
}
