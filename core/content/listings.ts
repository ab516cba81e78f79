import type { Reference } from '../model/inputs.ts';
import { activeLanguages, CHANNEL_BIT, type ContentType } from '../model/model.ts';
import { LANGUAGE_SPAN } from '../storage/index-key.ts';
import { USE } from '../storage/stale.ts';
import { visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { walkInPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { findItem, ITEM_COLUMNS, type Item, type ItemRow, toItem } from './item-rows.ts';
import { toVariant, VARIANT_COLUMNS, type Variant, type VariantRow } from './variant-rows.ts';

/** Lists items in the order of creation, without archived items and placeholders. */
export async function listItems(view: ProjectView, after: number, limit: number): Promise<Item[]> {
  const where = [
    'project = ?',
    'number > ?',
    'type IS NOT NULL',
    'archived IS NULL',
    ...visibleWhere(view, { type: 'type' }),
  ];
  const rows = await view.tx.all<ItemRow>(
    `SELECT ${ITEM_COLUMNS} FROM item i WHERE ${where.join(' AND ')}
     ORDER BY number LIMIT ?`,
    [view.project.number, after, limit],
  );
  return rows.map((row) => toItem(view, row));
}

/** Lists the variants of an item in active languages, in the order of the languages. */
export async function variantsOfItem(view: ProjectView, reference: Reference): Promise<Variant[]> {
  const { number } = await findItem(view, reference);
  const where = { text: 'i.number = ?', parameters: [number] };
  const variants = await listVariants(view, LATEST, where, [0, 0], LANGUAGE_SPAN);
  return variants.sort((one, other) => one.language.ordinal - other.language.ordinal);
}

/** Storage numbers of the item and language before the first variant of a page. */
export type AfterVariant = readonly [item: number, language: number];

/** Lists the variants of all items of a type, ordered by item and language. */
export function variantsOfType(
  view: ProjectView,
  type: ContentType,
  after: AfterVariant,
  limit: number,
): Promise<Variant[]> {
  return listVariants(view, LATEST, { text: 'i.type = ?', parameters: [type.number] }, after, limit);
}

/** Lists variants whose latest version contains a component of the type, at any level. */
export function variantsWithComponents(
  view: ProjectView,
  type: ContentType,
  after: AfterVariant,
  limit: number,
): Promise<Variant[]> {
  const from = `FROM uses u JOIN document d ON d.number = u.document JOIN item i ON i.number = d.item
    JOIN variant v ON v.item = d.item AND v.language = d.language
    LEFT JOIN version n ON n.number = COALESCE(v.draft, v.published)`;
  const where = {
    text: 'u.kind = ? AND u.target = ? AND d.visible >= ?',
    parameters: [USE.componentType, type.number, CHANNEL_BIT.latest],
  };
  return listVariants(view, from, where, after, limit);
}

interface Row extends VariantRow {
  readonly language: number;
}

const LATEST = `FROM item i JOIN variant v ON v.item = i.number
  LEFT JOIN version n ON n.number = COALESCE(v.draft, v.published)`;

/** Reads a few at a time, because a variant may be large. */
async function listVariants(
  view: ProjectView,
  from: string,
  where: { readonly text: string; readonly parameters: readonly number[] },
  after: AfterVariant,
  limit: number,
): Promise<Variant[]> {
  const active = view.tx.among(
    'v.language',
    activeLanguages(view.model).map(({ number }) => number),
  );
  const conditions = [
    'i.archived IS NULL',
    'v.archived IS NULL',
    active.text,
    ...visibleWhere(view, { type: 'i.type', language: 'v.language' }),
  ];
  const rows = await walkInPieces<Row>(
    limit,
    (count, last) => {
      const [item, language] = last ? [last.number, last.language] : after;
      return view.tx.all<Row>(
        `SELECT ${VARIANT_COLUMNS}, v.language AS language ${from}
         WHERE ${where.text} AND i.number >= ? AND (i.number > ? OR v.language > ?)
           AND ${conditions.join(' AND ')}
         ORDER BY i.number, v.language LIMIT ?`,
        [...where.parameters, item, item, language, active.parameter, count],
      );
    },
    ({ elements }) => elements?.length ?? 0,
  );
  return toVariants(view, rows);
}

async function toVariants(view: ProjectView, rows: readonly Row[]): Promise<Variant[]> {
  const variants: Variant[] = [];
  for (const row of rows) {
    if (isTurnLong()) await nextTurn();
    const language = view.model.languageByNumber.get(row.language);
    if (language?.isActive) variants.push(await toVariant(toItem(view, row), language, row));
  }
  return variants;
}
