import { eachComponent } from '../content/value-checks.ts';
import { variantNotFound } from '../content/variant-rows.ts';
import { elementsOf, findVersion, findVersioned, type VersionedVariant } from '../content/versions.ts';
import type { Reference } from '../model/inputs.ts';
import { Issues } from '../model/issues.ts';
import type { StoredElements } from '../model/values.ts';
import { requireEdit } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { jsonText } from '../turns/json-bytes.ts';
import { locate } from './locate-variant.ts';
import { newVersionLocated } from './publish.ts';

export interface RestoreInput {
  /** Number of the version. */
  readonly version: number;
  /** Ids of elements whose values are restored; undefined: the whole version. */
  readonly elements?: readonly string[] | undefined;
}

/**
 * Writes what an earlier version has as the draft, which a published variant gets where it has none. Values are taken as
 * they are stored, so they are the same bytes, even where the model has changed since. What equals the latest version
 * changes nothing.
 * @throws itemNotFound, languageNotFound, variantNotFound, forbidden; objectNotFound for a version that is no longer kept;
 *   invalidBody where elements of both versions have the same component
 */
export async function restoreVersion(
  transaction: ProjectTransaction,
  itemReference: Reference,
  languageReference: Reference,
  { version: number, elements }: RestoreInput,
): Promise<void> {
  const variant = await findVersioned(transaction, itemReference, languageReference);
  const { item, language } = variant;
  requireEdit(transaction, { type: item.type, language }, variant.scheduledTo);
  const latest = variant.draft ?? variant.published;
  if (variant.isArchived || !language.isActive || latest === null) throw variantNotFound(item, language);
  const restored = await findVersion(transaction, variant, number);
  const current = await findVersion(transaction, variant, latest);
  const text =
    elements === undefined
      ? restored.text
      : await jsonText(
          refuseRepeated(
            variant,
            withElements(
              await elementsOf(current),
              await elementsOf(restored),
              refuseUnknown(variant, elements),
            ),
          ),
        );
  if (text === current.text) return;
  if (variant.draft === null) await newVersionLocated(transaction, await locate(transaction, item, language));
  const { tx } = transaction;
  const written = await tx.numbers('version');
  await tx.run('UPDATE variant SET draft = ?, last_modified = ? WHERE number = ?', [
    written,
    transaction.now,
    variant.number,
  ]);
  await tx.insert(
    'version',
    ['number', 'variant', 'elements', 'created', 'account', 'sequence'],
    [[written, variant.number, text, transaction.now, transaction.actor, tx.sequence]],
  );
  transaction.touchVersions(item.number, 'latest');
  transaction.change('content_item_variant', 'restore_version', `${item.id}/${language.id}`, []);
}

/** Replaces values where they stand; what the version never had is taken out. */
function withElements(
  current: StoredElements,
  restored: StoredElements,
  elements: readonly string[],
): StoredElements {
  const values = new Map(Object.entries(current));
  for (const id of elements) {
    const value = restored[id];
    if (value === undefined) values.delete(id);
    else values.set(id, value);
  }
  return Object.fromEntries(values);
}

function refuseUnknown({ item }: VersionedVariant, given: readonly string[]): readonly string[] {
  const issues = new Issues();
  const elements = given.map((id) => id.toLowerCase());
  for (const [index, id] of elements.entries())
    if (!item.type.fieldByElement.has(id))
      issues.add(
        `The content type '${item.type.codename}' has no element with the id '${id}'.`,
        `elements[${index}]`,
      );
  issues.refuse();
  return elements;
}

/** A component may have moved from one element to another between the versions. */
function refuseRepeated({ item }: VersionedVariant, elements: StoredElements): StoredElements {
  const issues = new Issues();
  eachComponent(item.type, elements, ({ id }, isRepeated) => {
    if (isRepeated)
      issues.add(
        `The component '${id}' has moved to another element since; restore both elements, or the whole version.`,
      );
  });
  issues.refuse();
  return elements;
}
