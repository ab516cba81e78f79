import { ServiceError } from '../errors.ts';
import { parseStored } from '../json-body/parse-stored.ts';
import type { Reference } from '../model/inputs.ts';
import type { Language } from '../model/model.ts';
import { formOf } from '../model/reference.ts';
import type { StoredElements } from '../model/values.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { ITEM_COLUMNS, type Item, type ItemRow, itemNotFound } from './item-rows.ts';

/** The latest version of a language variant. */
export interface Variant {
  /** Storage number. */
  readonly number: number;
  readonly item: Item;
  readonly language: Language;
  /** Values by element id; an element that was never written has none. */
  readonly elements: StoredElements;
  readonly lastModified: string;
  /** Storage numbers of the versions; a draft is the latest one. */
  readonly draft: number | null;
  readonly published: number | null;
  /** When the draft is published. */
  readonly scheduledTo: string | null;
  /** This call created it. */
  readonly created: boolean;
}

export interface VariantRow extends ItemRow {
  /** Null: the item has no variant in the language. */
  readonly variant: number | null;
  readonly draft: number | null;
  readonly published: number | null;
  readonly scheduled_to: string | null;
  readonly variant_modified: string | null;
  readonly variant_archived: string | null;
  readonly elements: string | null;
}

/** Columns of a `VariantRow` without its values, from item `i` and variant `v`. */
export const VERSIONED_COLUMNS = `${ITEM_COLUMNS},
  v.number AS variant, v.draft AS draft, v.published AS published, v.scheduled_to AS scheduled_to,
  v.last_modified AS variant_modified, v.archived AS variant_archived`;

/** The same with the values of the latest version `n`. */
export const VARIANT_COLUMNS = `${VERSIONED_COLUMNS}, n.elements AS elements`;

/** Reads the item with its variant in the language, if any, in one statement. */
export async function locateVariantRow(
  view: ProjectView,
  reference: Reference,
  language: Language,
): Promise<VariantRow> {
  const [row] = await locateVariantRows(view, [reference], language);
  if (!row) throw itemNotFound(reference);
  return row;
}

/** The same for several, in their order, with one statement for each form of reference. */
export async function locateVariantRows(
  view: ProjectView,
  references: readonly Reference[],
  language: Language,
): Promise<VariantRow[]> {
  const wanted = references.map(formOf);
  const found = new Map<string, VariantRow>();
  for (const form of new Set(wanted.flatMap((one) => one?.form ?? []))) {
    const texts = wanted.flatMap((one) => (one?.form === form ? one.text : []));
    const rows = await inPieces(
      texts,
      (some) => {
        const among = view.tx.among(`i.${form}`, some);
        return view.tx.all<VariantRow>(
          `SELECT ${VARIANT_COLUMNS}
           FROM item i LEFT JOIN variant v ON v.item = i.number AND v.language = ?
             LEFT JOIN version n ON n.number = COALESCE(v.draft, v.published)
           WHERE i.project = ? AND ${among.text} AND i.type IS NOT NULL AND i.archived IS NULL`,
          [language.number, view.project.number, among.parameter],
        );
      },
      ({ elements }) => elements?.length ?? 0,
    );
    for (const row of rows) found.set(`${form}:${row[form]}`, row);
  }
  return references.map((reference, index) => {
    const row = found.get(`${wanted[index]?.form}:${wanted[index]?.text}`);
    if (!row) throw itemNotFound(reference);
    return row;
  });
}

/** @param row with a variant */
export async function toVariant(item: Item, language: Language, row: VariantRow): Promise<Variant> {
  return variantOf(item, language, row, await parseStored(row.elements ?? '{}'));
}

/** The same with the values of the row. */
export function variantOf(
  item: Item,
  language: Language,
  row: VariantRow,
  elements: StoredElements,
): Variant {
  return {
    number: row.variant ?? 0,
    item,
    language,
    elements,
    draft: row.draft,
    published: row.published,
    scheduledTo: row.scheduled_to,
    lastModified: row.variant_modified ?? '',
    created: false,
  };
}

export function variantNotFound(item: Pick<Item, 'codename'>, language: Language): ServiceError {
  return new ServiceError(
    'variantNotFound',
    `The item '${item.codename}' has no variant in the language '${language.codename}'.`,
  );
}
