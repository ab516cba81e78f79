import type { ContentType, ProjectModel, ValueKind } from '../model/model.ts';
import { richTextReferences } from '../model/rich-text/references.ts';
import type { StoredElements, StoredRichText } from '../model/values.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';

export interface ReferencedIds {
  readonly items: Set<string>;
  /** Items that hyperlinks point to. */
  readonly links: Set<string>;
  readonly assets: Set<string>;
}

/** What the values of an element refer to; null: nothing outside the model. */
const REFERENCES = {
  text: null,
  rich_text: 'rich text',
  number: null,
  multiple_choice: null,
  date_time: null,
  asset: 'assets',
  modular_content: 'items',
  taxonomy: null,
  url_slug: null,
  custom: null,
} as const satisfies Record<ValueKind, keyof ReferencedIds | 'rich text' | null>;

/** Collects the ids of items and assets that the values of a version refer to, components included. */
export async function collectReferences(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  into: ReferencedIds,
): Promise<void> {
  if (isTurnLong()) await nextTurn();
  for (const { element } of type.fields) {
    const value = elements[element.id];
    if (value === undefined || value === null) continue;
    const target = REFERENCES[element.type];
    if (target === 'rich text') await collectFromRichText(model, value as StoredRichText, into);
    else if (target !== null) await eachInTurns(value as readonly string[], (id) => into[target].add(id));
  }
}

async function collectFromRichText(
  model: ProjectModel,
  { html, components }: StoredRichText,
  into: ReferencedIds,
): Promise<void> {
  const references = await richTextReferences(html);
  for (const { kind, id } of references.linkedItems) if (kind === 'item') into.items.add(id);
  for (const id of references.links) into.links.add(id);
  for (const id of references.assets) into.assets.add(id);
  for (const component of components) {
    const type = model.typeById.get(component.type);
    if (type) await collectReferences(model, type, component.elements, into);
  }
}

/** The item's url slug: the value of the type's first url slug element, empty when there is none. */
export function slugOf(type: ContentType, elements: StoredElements): string {
  for (const { element } of type.fields) {
    if (element.type !== 'url_slug') continue;
    const value = elements[element.id];
    return typeof value === 'object' && value !== null && 'value' in value ? value.value : '';
  }
  return '';
}
