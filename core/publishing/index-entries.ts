import type { ContentType, Field } from '../content/model.ts';
import { LANGUAGE_SPAN, type Language } from '../content/model.ts';
import type { StoredElements, StoredUrlSlug, StoredValue } from '../content/values.ts';
import { EMPTY_KEY, EMPTY_RICH_TEXT, numberKey, textKey } from './index-key.ts';

export interface IndexedItem {
  readonly name: string;
  readonly type: ContentType;
  readonly sitemapLocations: readonly string[];
  readonly lastModified: string;
}

/** Values that are only known once the version is compiled. */
export interface Rendered {
  /** By element id. */
  readonly richTexts: ReadonlyMap<string, string>;
  fileName(asset: string): string | undefined;
}

/**
 * The index rows of a version: (slot, key) for every filterable value. Members of arrays are keyed by id
 * (options, terms, nodes, linked items), so that renaming those touches no index row; asset elements by file
 * name, which is what readers filter by.
 */
export function indexEntries(
  item: IndexedItem,
  language: Language,
  elements: StoredElements,
  rendered: Rendered,
): [slot: number, key: string][] {
  const entries: [number, string][] = [];
  const add = (field: number, keys: readonly string[]) => {
    const slot = slotOf(field, language);
    for (const key of keys.length === 0 ? [EMPTY_KEY] : new Set(keys)) entries.push([slot, key]);
  };
  add(item.type.systemFields.name, [textKey(item.name)]);
  add(item.type.systemFields.last_modified, [textKey(item.lastModified)]);
  add(item.type.systemFields.sitemap_locations, item.sitemapLocations.map(textKey));
  for (const field of item.type.fields) add(field.field, keysOf(field, elements[field.element.id], rendered));
  return entries;
}

export function slotOf(field: number, language: Language): number {
  return field * LANGUAGE_SPAN + language.ordinal;
}

function keysOf(field: Field, value: StoredValue | undefined, rendered: Rendered): string[] {
  switch (field.element.type) {
    case 'text':
      return [textKey((value as string | null | undefined) ?? '')];
    case 'url_slug':
      return [textKey((value as StoredUrlSlug | undefined)?.value ?? '')];
    case 'rich_text':
      return [textKey(rendered.richTexts.get(field.element.id) ?? EMPTY_RICH_TEXT)];
    case 'number':
      return typeof value === 'number' ? [numberKey(value)] : [];
    case 'date_time':
    case 'custom':
      return typeof value === 'string' ? [textKey(value)] : [];
    case 'asset':
      return members(value)
        .flatMap((id) => rendered.fileName(id) ?? [])
        .map(textKey);
    default:
      return members(value).map(textKey);
  }
}

function members(value: StoredValue | undefined): readonly string[] {
  return Array.isArray(value) ? value : [];
}
