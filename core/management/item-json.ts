import type { Item } from '../content/items.ts';
import { closed, type Schema } from '../http/openapi-shapes.ts';
import { DEFAULT_COLLECTION_ID } from '../model/model.ts';
import { dateTime, idReference, uuid } from './management-schemas.ts';

/** Version 1 (facts 3.5). */
export function itemToJsonV1(item: Item) {
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

/** Version 2 (spec 2.6); `collection` for clients that are newer than it (contract 4). */
export function itemToJsonV2(item: Item) {
  return { ...itemToJsonV1(item), collection: { id: DEFAULT_COLLECTION_ID } };
}

const properties: Readonly<Record<keyof ReturnType<typeof itemToJsonV1>, Schema>> = {
  id: uuid,
  name: { type: 'string', minLength: 1, maxLength: 50 },
  codename: { type: 'string', minLength: 1 },
  type: idReference,
  sitemap_locations: { type: 'array', items: idReference },
  external_id: { type: 'string' },
  last_modified: dateTime,
};

export const itemSchemas = {
  ManagedItemV1: closed(properties, 'A content item.', ['external_id']),
  ManagedItem: closed({ ...properties, collection: idReference }, 'A content item.', ['external_id']),
};
