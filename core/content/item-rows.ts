import { ServiceError } from '../errors.ts';
import type { Reference } from '../model/inputs.ts';
import type { ContentType } from '../model/model.ts';
import { describe, formOf } from '../model/reference.ts';
import type { SqlValue } from '../storage/sql.ts';
import { requireContent } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';

export interface Item {
  /** Storage number. */
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly externalId: string | null;
  readonly type: ContentType;
  /** Ids of existing sitemap nodes. */
  readonly sitemapLocations: readonly string[];
  readonly created: string;
  readonly lastModified: string;
}

export interface ItemRow {
  readonly number: number;
  readonly id: string;
  readonly name: string | null;
  readonly codename: string | null;
  readonly external_id: string | null;
  /** Null: a placeholder, see `referenced.ts`. */
  readonly type: number | null;
  readonly sitemap_locations: string;
  readonly created: string;
  readonly last_modified: string;
  readonly archived: string | null;
}

/** Columns of an `ItemRow`, from item `i`. */
export const ITEM_COLUMNS = `i.number AS number, i.id AS id, i.name AS name, i.codename AS codename,
  i.external_id AS external_id, i.type AS type, i.sitemap_locations AS sitemap_locations,
  i.created AS created, i.last_modified AS last_modified, i.archived AS archived`;

/** @throws itemNotFound, also for an archived item and for a placeholder; forbidden where the person may not view it */
export async function findItem(view: ProjectView, reference: Reference): Promise<Item> {
  return viewedItem(view, await findItemRow(view, reference));
}

/** What a statement that finds an item reads with it. */
interface Joined {
  readonly columns: string;
  /** To item `i`. */
  readonly joins: string;
  readonly parameters: readonly SqlValue[];
}

/** @throws itemNotFound, also for an archived item and for a placeholder */
export async function findItemRow<More = unknown>(
  { tx, project }: ProjectView,
  reference: Reference,
  joined?: Joined,
): Promise<ItemRow & More> {
  const wanted = formOf(reference);
  const row =
    wanted &&
    (await tx.get<ItemRow & More>(
      `SELECT ${ITEM_COLUMNS}${joined ? `, ${joined.columns}` : ''} FROM item i ${joined?.joins ?? ''}
       WHERE i.project = ? AND i.${wanted.form} = ? AND i.archived IS NULL AND i.type IS NOT NULL`,
      [...(joined?.parameters ?? []), project.number, wanted.text],
    ));
  if (!row) throw itemNotFound(reference);
  return row;
}

/** @throws forbidden where the person may not view it */
export function viewedItem(view: ProjectView, row: ItemRow): Item {
  const item = toItem(view, row);
  requireContent(view, 'view-content', { type: item.type, language: 'some' });
  return item;
}

export function itemNotFound(reference: Reference): ServiceError {
  return new ServiceError('itemNotFound', `There is no content item with ${describe(reference)}.`);
}

/** @param row no placeholder */
export function toItem({ model }: Pick<ProjectView, 'model'>, row: ItemRow): Item {
  const type = row.type === null ? undefined : model.typeByNumber.get(row.type);
  if (!type || row.codename === null) throw new Error(`Item ${row.id} has no type or codename.`);
  const locations: readonly string[] = JSON.parse(row.sitemap_locations);
  return {
    number: row.number,
    id: row.id,
    name: row.name ?? '',
    codename: row.codename,
    externalId: row.external_id,
    type,
    sitemapLocations: locations.filter((id) => model.sitemapNodeById.has(id)),
    created: row.created,
    lastModified: row.last_modified,
  };
}
