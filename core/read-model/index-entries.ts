import type { ContentType, Field, Language, ProjectModel, ValueKind } from '../model/model.ts';
import type { StoredElements, StoredUrlSlug, StoredValue } from '../model/values.ts';
import {
  DELIVERED_EMPTY_RICH_TEXT,
  EMPTY_KEY,
  LANGUAGE_SPAN,
  numberKey,
  textKey,
} from '../storage/index-key.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';

export interface IndexedItem {
  readonly name: string;
  readonly type: ContentType;
  readonly sitemapLocations: readonly string[];
  readonly lastModified: string;
}

/** Values that compiling the version yields. */
export interface Rendered {
  /** By element id. */
  readonly richTexts: ReadonlyMap<string, string>;
  fileName(asset: string): string | undefined;
  /** False while the item is only expected. */
  isLinked(item: string): boolean;
}

/**
 * The index rows of a version: (slot, key) for every filterable value. Members of lists are keyed by id (options, terms,
 * nodes, linked items), so that a rename writes no index row; asset elements by file name, because filters name files.
 * Members that were removed from the model do not count: without others the element is empty.
 */
export async function indexEntries(
  model: ProjectModel,
  item: IndexedItem,
  language: Language,
  elements: StoredElements,
  rendered: Rendered,
): Promise<[slot: number, key: string][]> {
  const entries: [number, string][] = [];
  const add = (field: number, keys: readonly string[]) => {
    const slot = slotOf(field, language);
    for (const key of keys.length === 0 ? [EMPTY_KEY] : new Set(keys)) entries.push([slot, key]);
  };
  add(item.type.systemFields.name, [textKey(item.name)]);
  add(item.type.systemFields.last_modified, [textKey(item.lastModified)]);
  add(
    item.type.systemFields.sitemap_locations,
    item.sitemapLocations.filter((id) => model.sitemapNodeById.has(id)).map(textKey),
  );
  for (const field of item.type.fields)
    add(field.field, await keysOf(model, field, elements[field.element.id], rendered));
  return entries;
}

/** The key of an element of the kind that has no value. */
export function emptyKeyOf(kind: ValueKind): string {
  if (kind === 'rich_text') return textKey(DELIVERED_EMPTY_RICH_TEXT);
  return kind === 'text' || kind === 'url_slug' ? textKey('') : EMPTY_KEY;
}

export function slotOf(field: number, language: Language): number {
  return field * LANGUAGE_SPAN + language.ordinal;
}

async function keysOf(
  model: ProjectModel,
  { element }: Field,
  value: StoredValue | undefined,
  rendered: Rendered,
): Promise<string[]> {
  switch (element.type) {
    case 'text':
      return [textKey((value as string | null | undefined) ?? '')];
    case 'url_slug':
      return [textKey((value as StoredUrlSlug | undefined)?.value ?? '')];
    case 'rich_text':
      return [textKey(rendered.richTexts.get(element.id) ?? DELIVERED_EMPTY_RICH_TEXT)];
    case 'number':
      return typeof value === 'number' ? [numberKey(value)] : [];
    case 'date_time':
    case 'custom':
      return typeof value === 'string' && value !== '' ? [textKey(value)] : [];
    case 'asset':
      return keysOfMembers(value, (id) => rendered.fileName(id));
    case 'multiple_choice': {
      const options = new Set(element.options.map((option) => option.id));
      return keysOfMembers(value, (id) => (options.has(id) ? id : undefined));
    }
    case 'taxonomy': {
      const terms = model.taxonomyById.get(element.taxonomy_group.id)?.termById;
      return keysOfMembers(value, (id) => (terms?.has(id) ? id : undefined));
    }
    case 'modular_content':
      return keysOfMembers(value, (id) => (rendered.isLinked(id) ? id : undefined));
  }
}

/** @param textOf the text of the key; undefined where readers do not see the member */
async function keysOfMembers(
  value: StoredValue | undefined,
  textOf: (id: string) => string | undefined,
): Promise<string[]> {
  const keys: string[] = [];
  await eachInTurns(Array.isArray(value) ? (value as readonly string[]) : [], (id) => {
    const text = textOf(id);
    if (text !== undefined) keys.push(textKey(text));
  });
  return keys;
}
