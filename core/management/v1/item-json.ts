import type { Item } from '../../content/items.ts';

/** Facts 3.5. */
export function itemToJson(item: Item): unknown {
  return {
    id: item.id,
    name: item.name,
    codename: item.codename,
    type: { id: item.type.id },
    sitemap_locations: item.sitemapLocations.map((id) => ({ id })),
    ...(item.externalId === null ? {} : { external_id: item.externalId }),
    last_modified: item.lastModified,
  };
}
