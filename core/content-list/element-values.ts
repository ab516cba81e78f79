import { parseStored } from '../json-body/parse-stored.ts';
import type { ContentType, Field, ProjectModel, ValueElement } from '../model/model.ts';
import { visibleText } from '../model/rich-text/visible-text.ts';
import { beginning } from '../model/text-length.ts';
import type { StoredElements, StoredRichText, StoredUrlSlug, StoredValue } from '../model/values.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';

/** The value of an element, short enough for a column of a list. */
export interface ShortValue {
  readonly type: ValueElement['type'];
  /** Of a list: the names of its first members. */
  readonly value: string | number | null | readonly string[];
  /** Characters of a text, members of a list. */
  readonly length: number;
}

const CHARACTERS = 160;
const MEMBERS = 5;

/** A name of a linked item or of an asset, where it exists. */
export type NameOf = (id: string) => string | undefined;

/** The values of elements by their codenames; elements that the type has not are omitted. */
export async function shortValues(
  model: ProjectModel,
  type: ContentType,
  codenames: readonly string[],
  elements: string,
  names: NameOf,
): Promise<Record<string, ShortValue>> {
  const fields = fieldsOf(type, codenames);
  if (fields.length === 0) return {};
  if (isTurnLong()) await nextTurn();
  const stored = await parseStored<StoredElements>(elements);
  return Object.fromEntries(
    fields.map(({ codename, element }) => [codename, shortValue(model, element, stored[element.id], names)]),
  );
}

/** Ids of items and assets that the columns of a row name. */
export async function namedIn(
  type: ContentType,
  codenames: readonly string[],
  elements: string,
): Promise<{ readonly items: readonly string[]; readonly assets: readonly string[] }> {
  const fields = fieldsOf(type, codenames);
  const named = { items: [] as string[], assets: [] as string[] };
  if (!fields.some(({ element }) => element.type === 'modular_content' || element.type === 'asset'))
    return named;
  const stored = await parseStored<StoredElements>(elements);
  for (const { element } of fields) {
    const ids = (stored[element.id] ?? []) as readonly string[];
    if (element.type === 'modular_content') named.items.push(...ids.slice(0, MEMBERS));
    if (element.type === 'asset') named.assets.push(...ids.slice(0, MEMBERS));
  }
  return named;
}

function fieldsOf(type: ContentType, codenames: readonly string[]): Field[] {
  return codenames.flatMap((codename) => type.fieldByCodename.get(codename) ?? []);
}

function shortValue(
  model: ProjectModel,
  element: ValueElement,
  value: StoredValue | undefined,
  names: NameOf,
): ShortValue {
  const { type } = element;
  switch (type) {
    case 'number':
      return { type, value: (value as number | null | undefined) ?? null, length: 0 };
    case 'rich_text':
      return cut(type, visibleText((value as StoredRichText | undefined)?.html ?? ''));
    case 'url_slug':
      return cut(type, (value as StoredUrlSlug | undefined)?.value ?? '');
    case 'text':
    case 'date_time':
    case 'custom':
      return cut(type, (value as string | null | undefined) ?? '');
    case 'multiple_choice': {
      const options = new Map(element.options.map(({ id, name }) => [id, name]));
      return members(type, value, (id) => options.get(id));
    }
    case 'taxonomy': {
      const terms = model.taxonomyById.get(element.taxonomy_group.id)?.termById;
      return members(type, value, (id) => terms?.get(id)?.name);
    }
    case 'modular_content':
    case 'asset':
      return members(type, value, names);
  }
}

function cut(type: ValueElement['type'], text: string): ShortValue {
  const value = text.length > CHARACTERS ? beginning(text, CHARACTERS) : text;
  return { type, value: value === '' ? null : value, length: text.length };
}

function members(type: ValueElement['type'], value: StoredValue | undefined, name: NameOf): ShortValue {
  const ids = (value ?? []) as readonly string[];
  return { type, value: ids.slice(0, MEMBERS).map((id) => name(id) ?? id), length: ids.length };
}
