import type { Reference } from '../model/inputs.ts';
import { CHANNEL_BIT, type ContentType } from '../model/model.ts';
import { USE } from '../storage/stale.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { walkInPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { findItem, type Item, type ItemRow, toItem } from './item-rows.ts';
import { toVariant, VARIANT_COLUMNS, type Variant, type VariantRow } from './variant-rows.ts';

/** Items by number, those behind `after`; what is archived or only expected is left out. */
export async function listItems(view: ProjectView, after: number, limit: number): Promise<Item[]> {
  const rows = await view.tx.all<ItemRow>(
    `SELECT * FROM item WHERE project = ? AND number > ? AND type IS NOT NULL AND archived IS NULL
     ORDER BY number LIMIT ?`,
    [view.project.number, after, limit],
  );
  return rows.map((row) => toItem(view, row));
}

/** All variants of an item in active languages, in the order of the languages. */
export async function variantsOfItem(view: ProjectView, reference: Reference): Promise<Variant[]> {
  const item = await findItem(view, reference);
  const rows = await view.tx.all<Row>(
    `SELECT ${VARIANT_COLUMNS}, v.language AS language ${LATEST} WHERE i.number = ? AND v.archived IS NULL`,
    [item.number],
  );
  const variants = await toVariants(view, rows);
  return variants.sort((one, other) => one.language.ordinal - other.language.ordinal);
}

/** Numbers of the item and the language a variant comes after. */
export type AfterVariant = readonly [item: number, language: number];

/** Variants of all items of a type, by the numbers of item and language. */
export async function variantsOfType(
  view: ProjectView,
  type: ContentType,
  after: AfterVariant,
  limit: number,
): Promise<Variant[]> {
  const active = activeLanguages(view);
  const rows = await walk(after, limit, ([item, language], few) =>
    view.tx.all<Row>(
      `SELECT ${VARIANT_COLUMNS}, v.language AS language ${LATEST}
       WHERE i.type = ? AND ${BEHIND} AND i.archived IS NULL AND v.archived IS NULL AND ${active.text}
       ORDER BY i.number, v.language LIMIT ?`,
      [type.number, item, item, language, active.parameter, few],
    ),
  );
  return toVariants(view, rows);
}

/** Variants whose latest version holds a component of the type, on whatever level. */
export async function variantsWithComponents(
  view: ProjectView,
  type: ContentType,
  after: AfterVariant,
  limit: number,
): Promise<Variant[]> {
  const active = activeLanguages(view);
  const rows = await walk(after, limit, ([item, language], few) =>
    view.tx.all<Row>(
      `SELECT ${VARIANT_COLUMNS}, v.language AS language
       FROM uses u JOIN document d ON d.number = u.document JOIN item i ON i.number = d.item
         JOIN variant v ON v.item = d.item AND v.language = d.language
         LEFT JOIN version n ON n.number = COALESCE(v.draft, v.published)
       WHERE u.kind = ? AND u.target = ? AND d.visible >= ? AND ${BEHIND}
         AND i.archived IS NULL AND v.archived IS NULL AND ${active.text}
       ORDER BY i.number, v.language LIMIT ?`,
      [USE.componentType, type.number, CHANNEL_BIT.latest, item, item, language, active.parameter, few],
    ),
  );
  return toVariants(view, rows);
}

interface Row extends VariantRow {
  readonly language: number;
}

/** Some at a time: a variant may be large. */
function walk(
  after: AfterVariant,
  limit: number,
  ask: (after: AfterVariant, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  return walkInPieces(
    limit,
    (few, last) => ask(last ? [last.number, last.language] : after, few),
    ({ elements }) => elements?.length ?? 0,
  );
}

const LATEST = `FROM item i JOIN variant v ON v.item = i.number
  LEFT JOIN version n ON n.number = COALESCE(v.draft, v.published)`;

const BEHIND = 'i.number >= ? AND (i.number > ? OR v.language > ?)';

function activeLanguages(view: ProjectView) {
  return view.tx.among(
    'v.language',
    view.model.languages.filter(({ isActive }) => isActive).map(({ number }) => number),
  );
}

async function toVariants(view: ProjectView, rows: readonly Row[]): Promise<Variant[]> {
  const languages = new Map(
    view.model.languages.filter(({ isActive }) => isActive).map((language) => [language.number, language]),
  );
  const variants: Variant[] = [];
  for (const row of rows) {
    if (isTurnLong()) await nextTurn();
    const language = languages.get(row.language);
    if (language) variants.push(await toVariant(toItem(view, row), language, row));
  }
  return variants;
}
