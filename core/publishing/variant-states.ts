import { ITEM_COLUMNS, type Item, type ItemRow, toItem } from '../content/item-rows.ts';
import { ServiceError } from '../errors.ts';
import { folded } from '../model/folded-words.ts';
import { containing } from '../model/like-pattern.ts';
import type { ContentType, Language } from '../model/model.ts';
import { STATE, type VariantState } from '../model/variant-state.ts';
import { listedNumber } from '../storage/listed-rows.ts';
import { permitsContent, requireContent, visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';

export interface LanguageState {
  readonly language: Language;
  readonly state: VariantState;
  readonly lastModified: string | null;
  readonly scheduledTo: string | null;
}

export interface ItemStates extends Item {
  readonly archived: string | null;
  /** One for each active language, the default one first. */
  readonly languages: readonly LanguageState[];
}

export interface ItemFilter {
  readonly type?: ContentType;
  /** In `language`, else in any. */
  readonly state?: VariantState;
  /** Without `state`: items with a variant in it. */
  readonly language?: Language;
  /** Part of the name or codename. */
  readonly text?: string;
  /** Storage number of the item that the page comes after. */
  readonly after: number;
  readonly limit: number;
}

/** Lists items, archived ones included, oldest first, with the state of each language. */
export async function listItemStates(view: ProjectView, filter: ItemFilter): Promise<ItemStates[]> {
  // The unary plus makes the planner walk the numbers in order instead of sorting all items of the project.
  const where = [
    '+i.project = ?',
    'i.type IS NOT NULL',
    'i.number > ?',
    ...visibleWhere(view, { type: 'i.type' }),
  ];
  const parameters: (string | number)[] = [view.project.number, filter.after];
  if (filter.type) {
    where.push('i.type = ?');
    parameters.push(filter.type.number);
  }
  if (filter.text !== undefined) {
    // Lists have folded names: databases do not know the case of all letters.
    const listed = `i.number + ${listedNumber(0, view.model.defaultLanguage.number)}`;
    where.push(
      `(EXISTS (SELECT 1 FROM listed r WHERE r.number = ${listed} AND r.name LIKE ? ESCAPE '\\')
         OR i.codename LIKE ? ESCAPE '\\')`,
    );
    parameters.push(containing(folded(filter.text)), containing(filter.text));
  }
  if (filter.state !== undefined || filter.language) {
    const inLanguage = filter.language ? ['l.number = ?'] : [];
    const permitted = visibleWhere(view, { type: 'i.type', language: 'l.number' });
    where.push(
      `EXISTS (SELECT 1 FROM language l LEFT JOIN variant v ON v.item = i.number AND v.language = l.number
         WHERE ${['l.project = i.project', 'l.active = 1', ...inLanguage, ...permitted].join(' AND ')}
         AND ${STATE} ${filter.state === undefined ? `<> 'not_translated'` : '= ?'})`,
    );
    if (filter.language) parameters.push(filter.language.number);
    if (filter.state !== undefined) parameters.push(filter.state);
  }
  const rows = await view.tx.all<ItemRow>(
    `SELECT ${ITEM_COLUMNS} FROM item i WHERE ${where.join(' AND ')} ORDER BY i.number LIMIT ?`,
    [...parameters, filter.limit],
  );
  return withStates(view, rows);
}

/** @throws itemNotFound, forbidden; an archived item is found */
export async function findItemStates(view: ProjectView, id: string): Promise<ItemStates> {
  const rows = await view.tx.all<ItemRow>(
    `SELECT ${ITEM_COLUMNS} FROM item i WHERE i.project = ? AND i.id = ? AND i.type IS NOT NULL`,
    [view.project.number, id.toLowerCase()],
  );
  const [item] = await withStates(view, rows);
  if (!item) throw new ServiceError('itemNotFound', `There is no content item with the id '${id}'.`);
  requireContent(view, 'view-content', { type: item.type, language: 'some' });
  return item;
}

async function withStates(view: ProjectView, rows: readonly ItemRow[]): Promise<ItemStates[]> {
  const among = view.tx.among(
    'i.number',
    rows.map(({ number }) => number),
  );
  const states = await view.tx.all<{
    item: number;
    language: number;
    state: VariantState;
    last_modified: string | null;
    scheduled_to: string | null;
  }>(
    `SELECT i.number AS item, l.number AS language, ${STATE} AS state, v.last_modified AS last_modified,
       v.scheduled_to AS scheduled_to
     FROM item i JOIN language l ON l.project = i.project AND l.active = 1
       LEFT JOIN variant v ON v.item = i.number AND v.language = l.number
     WHERE ${among.text} ORDER BY i.number, l.is_default DESC, l.ordinal`,
    [among.parameter],
  );
  const byItem = new Map<number, LanguageState[]>(rows.map(({ number }) => [number, []]));
  for (const { item, language: number, state, last_modified, scheduled_to } of states) {
    const language = view.model.languageByNumber.get(number);
    if (language)
      byItem.get(item)?.push({ language, state, lastModified: last_modified, scheduledTo: scheduled_to });
  }
  return rows.map((row) => {
    const item = toItem(view, row);
    const languages = (byItem.get(row.number) ?? []).filter(({ language }) =>
      permitsContent(view, 'view-content', { type: item.type, language }),
    );
    return { ...item, archived: row.archived, languages };
  });
}
