import type { Item } from '../../content/items.ts';
import { DEFAULT_COLLECTION_ID } from '../../model/model.ts';

/** Spec 2.6; `collection` for clients that are newer than it (contract 4). */
export function itemToJson(item: Item): unknown {
  return {
    id: item.id,
    name: item.name,
    codename: item.codename,
    type: { id: item.type.id },
    sitemap_locations: item.sitemapLocations.map((id) => ({ id })),
    ...(item.externalId === null ? {} : { external_id: item.externalId }),
    last_modified: item.lastModified,
    collection: { id: DEFAULT_COLLECTION_ID },
  };
}
