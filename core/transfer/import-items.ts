import { insertRows } from '../content/insert-rows.ts';
import { checkItemCodename } from '../content/item-codenames.ts';
import { ITEM_NAME_LIMIT } from '../content/items.ts';
import { idOfExternalId, isId } from '../model/external-id.ts';
import { checkExternalId, checkName, type Issues } from '../model/issues.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { ArchiveItem } from './archive-rows.ts';
import type { IdMap } from './id-map.ts';
import type { ReadRow } from './read-row.ts';
import { readJson, readRow } from './read-row.ts';
import { insertPlaceholders, refuseTaken } from './refuse-taken.ts';

/** Imports items without content, so that all variants after them can link to them. */
export async function importItems(
  transaction: ProjectTransaction,
  rows: readonly ReadRow[],
  { issues, ids }: { readonly issues: Issues; readonly ids: IdMap },
): Promise<void> {
  const { model } = transaction;
  const items: (ArchiveItem & { readonly location: Issues['location'] })[] = [];
  for (const { location, value } of rows) {
    if (isTurnLong()) await nextTurn();
    issues.location = location;
    const before = issues.count;
    const item = readRow<ArchiveItem>(issues, 'item', value);
    const checked = item && checkItem(transaction, issues, ids, item);
    if (checked && issues.count === before) items.push({ ...checked, location });
  }
  const free = await refuseTaken(transaction, issues, 'item', items, ids);
  await insertRows(
    transaction,
    'item',
    free.map((item) => ({
      ...item,
      id: ids.assign('item', item.id, item.external_id),
      type: item.type === null ? null : (model.typeById.get(item.type)?.number ?? null),
    })),
  );
  if (free.length < rows.length) await insertPlaceholders(transaction, 'item', rows);
}

/** Applies the rules of the operations on items. An item without a type is a placeholder for a reference. */
function checkItem(
  { model }: ProjectTransaction,
  issues: Issues,
  ids: IdMap,
  item: ArchiveItem,
): ArchiveItem {
  const { id, name, codename, external_id, type, archived } = item;
  checkExternalId(issues, external_id ?? undefined);
  if (external_id !== null && id !== idOfExternalId(ids.archived, 'item', external_id))
    issues.add('The id is not the one that the external id gives.', 'id');
  if (type === null) {
    if (name !== null || codename !== null || archived !== null)
      issues.add('An item without a type has no name and no codename and is not archived.', 'type');
  } else {
    if (!model.typeById.has(type)) issues.add(`There is no content type with the id '${type}'.`, 'type');
    checkName(issues, name, ITEM_NAME_LIMIT);
    checkItemCodename(issues, codename);
  }
  return { ...item, sitemap_locations: JSON.stringify(readLocations(issues, item.sitemap_locations)) };
}

/** Items may name sitemap nodes that were removed. */
function readLocations(issues: Issues, text: string): string[] {
  const given = readJson(issues, text, 'sitemap_locations');
  const isList = Array.isArray(given) && given.every(isId) && new Set(given).size === given.length;
  if (!isList) issues.add('An array of ids, each once, is expected.', 'sitemap_locations');
  return isList ? given : [];
}
