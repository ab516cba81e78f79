import { ITEM_COLUMNS, type Item, type ItemRow, toItem } from '../content/item-rows.ts';
import type { Language } from '../model/model.ts';
import { STATE, type VariantState } from '../model/variant-state.ts';
import { permitsContent, visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { namedIn, type ShortValue, shortValues } from './element-values.ts';

/** An item of a list in one language. */
export interface ListedVariant {
  readonly language: Language;
  readonly state: VariantState;
  /** When its latest version was written, or the item renamed after that; null without a variant. */
  readonly lastModified: string | null;
  /** Who wrote the latest version; null where no user did. */
  readonly modifiedBy: { readonly id: string; readonly name: string } | null;
  readonly scheduledTo: string | null;
  /** By codename, of the latest version. */
  readonly elements: Readonly<Record<string, ShortValue>>;
}

export interface ListedItem {
  readonly item: Item;
  readonly archived: string | null;
  /** In the order of the languages that were asked for. */
  readonly variants: readonly ListedVariant[];
}

interface VariantRow {
  readonly item: number;
  readonly language: number;
  readonly state: VariantState;
  readonly last_modified: string | null;
  readonly scheduled_to: string | null;
  readonly account: string | null;
  readonly name: string | null;
  readonly elements: string | null;
}

/**
 * Reads the items of a page, in its order.
 * @param columns codenames of the elements whose values are shown
 */
export async function readListedItems(
  view: ProjectView,
  numbers: readonly number[],
  languages: readonly Language[],
  columns: readonly string[],
): Promise<ListedItem[]> {
  const { tx } = view;
  const among = tx.among('i.number', numbers);
  const rows = await tx.all<ItemRow>(
    `SELECT ${ITEM_COLUMNS} FROM item i WHERE ${among.text} AND i.type IS NOT NULL`,
    [among.parameter],
  );
  const variants = await readVariants(view, numbers, languages, columns.length > 0);
  const items = new Map(rows.map((row) => [row.number, { row, item: toItem(view, row) }]));
  const nameOf = await readNames(view, variants, items, columns);
  const found = new Map<string, ListedVariant>();
  for (const row of variants) {
    const language = view.model.languageByNumber.get(row.language);
    const item = items.get(row.item)?.item;
    if (!language || !item) continue;
    found.set(`${row.item}:${row.language}`, {
      language,
      state: row.state,
      lastModified: row.last_modified,
      modifiedBy: row.account === null ? null : { id: row.account, name: row.name ?? '' },
      scheduledTo: row.scheduled_to,
      elements: await shortValues(view.model, item.type, columns, row.elements ?? '{}', nameOf),
    });
  }
  return numbers.flatMap((number) => {
    const listed = items.get(number);
    if (!listed) return [];
    return {
      item: listed.item,
      archived: listed.row.archived,
      variants: languages.flatMap((language) =>
        permitsContent(view, 'view-content', { type: listed.item.type, language })
          ? (found.get(`${number}:${language.number}`) ?? [])
          : [],
      ),
    };
  });
}

/** Reads a few at a time where values are shown, because a version may be large. */
function readVariants(
  { tx, project }: ProjectView,
  numbers: readonly number[],
  languages: readonly Language[],
  withElements: boolean,
): Promise<VariantRow[]> {
  const ofLanguages = tx.among(
    'l.number',
    languages.map(({ number }) => number),
  );
  const read = (piece: readonly number[]) => {
    const among = tx.among('i.number', piece);
    // The plus keeps the planner from reading all ids of the project: 160 ms of a million items.
    return tx.all<VariantRow>(
      `SELECT i.number AS item, l.number AS language, ${STATE} AS state, 
         CASE WHEN i.last_modified > v.last_modified THEN i.last_modified ELSE v.last_modified END AS last_modified,
         v.scheduled_to AS scheduled_to, n.account AS account, a.name AS name,
         ${withElements ? 'n.elements' : 'NULL'} AS elements
       FROM item i JOIN language l ON l.project = +i.project LEFT JOIN variant v ON v.item = i.number AND v.language = l.number
         LEFT JOIN version n ON n.number = COALESCE(v.draft, v.published) LEFT JOIN account a ON a.id = n.account
       WHERE ${among.text} AND l.project = ? AND ${ofLanguages.text}`,
      [among.parameter, project.number, ofLanguages.parameter],
    );
  };
  return inPieces(numbers, read, withElements ? ({ elements }) => elements?.length ?? 0 : undefined);
}

/** Names of the items and assets in the columns, without those of items that the person may not view. */
async function readNames(
  view: ProjectView,
  variants: readonly VariantRow[],
  items: ReadonlyMap<number, { readonly item: Item }>,
  columns: readonly string[],
): Promise<(id: string) => string | undefined> {
  const ids = { items: new Set<string>(), assets: new Set<string>() };
  if (columns.length > 0)
    for (const { item, elements } of variants) {
      const type = items.get(item)?.item.type;
      if (!type || elements === null) continue;
      const named = await namedIn(type, columns, elements);
      for (const id of named.items) ids.items.add(id);
      for (const id of named.assets) ids.assets.add(id);
    }
  const names = new Map<string, string>();
  const read = async (
    table: string,
    name: string,
    among: ReadonlySet<string>,
    permitted: readonly string[] = [],
  ) => {
    if (among.size === 0) return;
    const { text, parameter } = view.tx.among('t.id', [...among]);
    const rows = await view.tx.all<{ id: string; name: string | null }>(
      `SELECT t.id AS id, ${name} AS name FROM ${table}
       WHERE ${['t.project = ?', text, ...permitted].join(' AND ')}`,
      [view.project.number, parameter],
    );
    for (const { id, name } of rows) if (name !== null) names.set(id, name);
  };
  await read('item t', 't.name', ids.items, visibleWhere(view, { type: 't.type' }));
  await read('asset t LEFT JOIN file f ON f.id = t.file', 'COALESCE(t.title, f.name)', ids.assets);
  return (id) => names.get(id);
}
