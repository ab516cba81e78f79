import { itemIdTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import { ITEM_CODENAME_LIMIT, toCodename } from '../model/codename.ts';
import { idOfExternalId } from '../model/external-id.ts';
import type { ItemInput, Reference } from '../model/inputs.ts';
import { checkExternalId, checkName, forbid, Issues } from '../model/issues.ts';
import type { ContentType, Language } from '../model/model.ts';
import { checkForm, describe, findReferred, REFERENCE_FORMS } from '../model/reference.ts';
import { markStale } from '../read-model/mark-stale.ts';
import type { ChangedVariant } from '../transaction/change-detail.ts';
import { requireContent } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { changedVariant } from './changed-variant.ts';
import { insertRows } from './insert-rows.ts';
import { checkItemCodename, freeCodename, KnownNames } from './item-codenames.ts';
import {
  findItem,
  ITEM_COLUMNS,
  type Item,
  type ItemRow,
  itemNotFound,
  toItem,
  viewedItem,
} from './item-rows.ts';
import { isGenerated } from './naming.ts';
import { unscheduleVariants } from './unschedule-variants.ts';

export { findItem, type Item } from './item-rows.ts';

export const ITEM_NAME_LIMIT = 50;
const TYPE_MISSING = 'The content type of the item is missing; refer to it by id, codename or external_id.';

/** Creates an item without content; two statements when its codename is free. */
export async function createItem(transaction: ProjectTransaction, input: ItemInput): Promise<Item> {
  const [item] = await createItems(transaction, [input]);
  if (!item) throw new Error('An item was neither created nor refused.');
  return item;
}

/** Creates items in their order. New ones with free codenames are looked up and inserted many at a time. */
export async function createItems(
  transaction: ProjectTransaction,
  inputs: readonly ItemInput[],
): Promise<Item[]> {
  const all = inputs.map((input) => readNewItem(transaction, input));
  const known = await KnownNames.read(transaction, all);
  const rows: Omit<ItemRow, 'number'>[] = [];
  const replaced = new Map<string, ItemRow>();
  for (const { input, issues, id, type, locations, codename: wanted } of all) {
    if (isTurnLong()) await nextTurn();
    const own = known.byId.get(id);
    if (own && own.type !== null && own.archived === null)
      issues.add(`The external id '${input.external_id}' is taken by another item.`, 'external_id');
    else if (own && own.type !== null) {
      // Its content is deleted for good, in all languages.
      const former = transaction.model.typeByNumber.get(own.type) ?? 'all';
      requireContent(transaction, 'create-content', { type: former, language: 'all' });
    }
    const codename = await freeCodename(transaction, issues, wanted, id, known, input.codename !== undefined);
    issues.refuse();
    const row = {
      id,
      name: input.name,
      codename,
      external_id: input.external_id ?? null,
      type: type.number,
      sitemap_locations: JSON.stringify(locations),
      created: transaction.now,
      last_modified: transaction.now,
      archived: null,
    };
    if (own) {
      await replaceRow(transaction, own, row);
      replaced.set(id, own);
    }
    known.add({ number: own?.number ?? 0, ...row });
    rows.push(row);
  }
  const fresh = rows.filter(({ id }) => !replaced.has(id));
  let next = fresh.length > 0 ? await insertRows(transaction, 'item', fresh) : 0;
  return rows.map((row) => {
    const number = replaced.get(row.id)?.number ?? next++;
    transaction.listItem(number);
    transaction.change('content_item', 'create', row.id, [itemIdTag(row.id)]);
    return toItem(transaction, { number, ...row });
  });
}

interface NewItem {
  readonly input: ItemInput;
  readonly issues: Issues;
  readonly id: string;
  readonly type: ContentType;
  readonly locations: readonly string[];
  readonly codename: string;
}

/** @throws invalidBody, or the missing type alone */
function readNewItem(transaction: ProjectTransaction, input: ItemInput): NewItem {
  const { model, project } = transaction;
  const issues = new Issues();
  checkName(issues, input.name, ITEM_NAME_LIMIT);
  checkExternalId(issues, input.external_id);
  const type = findReferred(model.types, input.type);
  if (!type && isGiven(input.type) && checkForm(issues, input.type, REFERENCE_FORMS, 'type')) {
    issues.add(`There is no content type with ${describe(input.type)}.`, 'type');
  }
  const locations = readLocations(transaction, issues, input.sitemap_locations ?? []);
  if (input.codename !== undefined) checkItemCodename(issues, input.codename);
  if (!isGiven(input.type)) {
    // Alone, it has a code of its own (spec section 7).
    if (!issues.any) forbid(TYPE_MISSING);
    issues.add(TYPE_MISSING, 'type');
  }
  issues.refuse();
  if (!type) throw new Error('An item without a type was not refused.');
  requireContent(transaction, 'create-content', { type, language: 'some' });
  const id = input.external_id ? idOfExternalId(project.id, 'item', input.external_id) : transaction.newId();
  const codename = input.codename ?? toCodename(input.name, ITEM_CODENAME_LIMIT);
  return { input, issues, id, type, locations, codename };
}

export interface ItemChanges {
  readonly name: string;
  /** Absent: stays as it is. */
  readonly sitemap_locations?: readonly Reference[];
  readonly codename?: string;
}

export interface ItemRules {
  /** A change must name the sitemap locations (spec 4.3, v2). */
  readonly locationsRequired?: boolean;
  /** Clients send back what they read: the current codename in a body is no request to keep it. */
  readonly ignoresCurrentCodename?: boolean;
}

/** Of the management API, version 2. */
export const ITEM_RULES: ItemRules = { locationsRequired: true, ignoresCurrentCodename: true };

/** Updates an item. A generated codename follows the name. Identical content changes nothing. */
export async function updateItem(
  transaction: ProjectTransaction,
  reference: Reference,
  changes: ItemChanges,
  rules: ItemRules = {},
): Promise<Item> {
  return changeItem(transaction, await findItem(transaction, reference), changes, rules);
}

/** Updates the item with the external id, or creates it; only then `type` is needed. */
export async function upsertItem(
  transaction: ProjectTransaction,
  externalId: string,
  input: ItemChanges & { readonly type?: Reference },
  rules: ItemRules = {},
): Promise<{ readonly item: Item; readonly created: boolean }> {
  const id = idOfExternalId(transaction.project.id, 'item', externalId);
  const row = await transaction.tx.get<ItemRow>(
    `SELECT ${ITEM_COLUMNS} FROM item i WHERE project = ? AND id = ? AND archived IS NULL AND type IS NOT NULL`,
    [transaction.project.number, id],
  );
  if (row)
    return {
      item: await changeItem(transaction, viewedItem(transaction, row), input, rules),
      created: false,
    };
  const item = await createItem(transaction, {
    ...input,
    type: input.type as Reference,
    external_id: externalId,
  });
  return { item, created: true };
}

/**
 * Archives the item with all variants, published ones included. It can be restored until its external id is used
 * again.
 */
export async function deleteItem(transaction: ProjectTransaction, reference: Reference): Promise<void> {
  const item = await findItem(transaction, reference);
  requireContent(transaction, 'delete-content', { type: item.type, language: 'all' });
  await archiveItem(transaction, item);
}

/** @param lastVariant the one that was deleted, where the item only goes with it */
export async function archiveItem(
  transaction: ProjectTransaction,
  item: Pick<Item, 'number' | 'id'>,
  lastVariant?: ChangedVariant,
): Promise<void> {
  const scheduled = await unscheduleVariants(transaction, item.number);
  await transaction.tx.run('UPDATE item SET archived = ? WHERE number = ?', [transaction.now, item.number]);
  transaction.touchItem(item.number);
  transaction.change('content_item', 'archive', item.id, [], {
    scheduled,
    ...(lastVariant && { lastVariant }),
  });
}

/**
 * Restores the item with its variants, published ones included; schedules stay canceled.
 * @param language the variant that is restored, the only one of the item
 * @throws conflict for an item that is not archived, or whose external id was used again
 */
export async function restoreItem(
  transaction: ProjectTransaction,
  id: string,
  language: Language | 'all' = 'all',
): Promise<Item> {
  const row = await transaction.tx.get<ItemRow>(
    `SELECT ${ITEM_COLUMNS} FROM item i WHERE project = ? AND id = ? AND type IS NOT NULL`,
    [transaction.project.number, id],
  );
  if (!row) throw itemNotFound({ id });
  const item = toItem(transaction, { ...row, archived: null });
  requireContent(transaction, 'delete-content', { type: item.type, language });
  if (row.archived === null) {
    throw new ServiceError('conflict', 'The content item is not archived, or its external id was used anew.');
  }
  await transaction.tx.run('UPDATE item SET archived = NULL WHERE number = ?', [row.number]);
  const published = await transaction.tx.get(
    'SELECT number FROM variant WHERE item = ? AND published IS NOT NULL AND archived IS NULL LIMIT 1',
    [row.number],
  );
  transaction.touchItem(item.number);
  const detail = language === 'all' ? undefined : { lastVariant: changedVariant(item, language) };
  transaction.change('content_item', published ? 'restore_publish' : 'restore', item.id, [], detail);
  return item;
}

async function changeItem(
  transaction: ProjectTransaction,
  item: Item,
  changes: ItemChanges,
  { locationsRequired = false, ignoresCurrentCodename = false }: ItemRules,
): Promise<Item> {
  requireContent(transaction, 'edit-content', { type: item.type, language: 'all' });
  const issues = new Issues();
  checkName(issues, changes.name, ITEM_NAME_LIMIT);
  const isIgnored = ignoresCurrentCodename && changes.codename === item.codename;
  const given = isIgnored ? undefined : changes.codename;
  if (given !== undefined && given !== item.codename) checkItemCodename(issues, given);
  if (locationsRequired && changes.sitemap_locations === undefined) {
    issues.add(
      'The sitemap locations are missing; an empty array takes the item out of the sitemap.',
      'sitemap_locations',
    );
  }
  const locations =
    changes.sitemap_locations === undefined
      ? item.sitemapLocations
      : readLocations(transaction, issues, changes.sitemap_locations);
  issues.refuse();
  const follows = changes.name !== item.name && isGenerated(item);
  const wanted = given ?? (follows ? toCodename(changes.name, ITEM_CODENAME_LIMIT) : item.codename);
  let codename = item.codename;
  if (wanted !== item.codename) {
    const known = await KnownNames.read(transaction, [{ id: item.id, codename: wanted }]);
    codename = await freeCodename(transaction, issues, wanted, item.id, known, given !== undefined);
    issues.refuse();
  }
  const moved = JSON.stringify(locations) !== JSON.stringify(item.sitemapLocations);
  if (changes.name === item.name && codename === item.codename && !moved) return item;
  await transaction.tx.run(
    'UPDATE item SET name = ?, codename = ?, sitemap_locations = ?, last_modified = ? WHERE number = ?',
    [changes.name, codename, JSON.stringify(locations), transaction.now, item.number],
  );
  transaction.touchItem(item.number);
  const isRenamed = codename !== item.codename;
  if (isRenamed) await markStale(transaction, 'item', item.number);
  const changed: Item = {
    ...item,
    name: changes.name,
    codename,
    sitemapLocations: locations,
    lastModified: transaction.now,
  };
  transaction.change('content_item', 'upsert', item.id, isRenamed ? [itemIdTag(item.id)] : []);
  return changed;
}

/** Turns a placeholder into an item, or replaces an archived item and its content. */
async function replaceRow(
  transaction: ProjectTransaction,
  own: ItemRow,
  row: Omit<ItemRow, 'number'>,
): Promise<void> {
  const { tx } = transaction;
  if (own.type !== null) {
    await tx.run('DELETE FROM version WHERE variant IN (SELECT number FROM variant WHERE item = ?)', [
      own.number,
    ]);
    await tx.run('DELETE FROM variant WHERE item = ?', [own.number]);
  }
  await tx.run(
    `UPDATE item SET name = ?, codename = ?, type = ?, sitemap_locations = ?, created = ?, last_modified = ?,
     archived = NULL WHERE number = ?`,
    [row.name, row.codename, row.type, row.sitemap_locations, row.created, row.last_modified, own.number],
  );
  transaction.touchItem(own.number);
  await markStale(transaction, 'item', own.number);
}

function readLocations(
  transaction: ProjectTransaction,
  issues: Issues,
  references: readonly Reference[],
): string[] {
  const ids: string[] = [];
  if (!Array.isArray(references)) {
    issues.add('An array of references is expected.', 'sitemap_locations');
    return ids;
  }
  for (const [index, reference] of references.entries()) {
    if (issues.isFull) break;
    const path = `sitemap_locations[${index}]`;
    if (!checkForm(issues, reference, REFERENCE_FORMS, path)) continue;
    const node = findReferred(transaction.model.sitemapNodeById.values(), reference);
    if (!node) issues.add(`There is no sitemap node with ${describe(reference)}.`, path);
    else if (ids.includes(node.id)) issues.add(`The sitemap node '${node.codename}' is given twice.`, path);
    else ids.push(node.id);
  }
  return ids;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
