import type { ContentType, ProjectModel } from '../model/model.ts';
import { richTextReferences } from '../model/rich-text/references.ts';
import type { StoredElements, StoredRichText } from '../model/values.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';

export interface ReferencedIds {
  readonly items: Set<string>;
  /** Items that hyperlinks point to. */
  readonly links: Set<string>;
  readonly assets: Set<string>;
}

/** Collects the ids of items and assets that the values of a version speak of, components included. */
export async function collectReferences(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  into: ReferencedIds,
): Promise<void> {
  for (const { element } of type.fields) {
    const value = elements[element.id];
    if (value === undefined || value === null) continue;
    if (element.type === 'modular_content') for (const id of value as readonly string[]) into.items.add(id);
    if (element.type === 'asset') for (const id of value as readonly string[]) into.assets.add(id);
    if (element.type !== 'rich_text') continue;
    if (isTurnLong()) await nextTurn();
    const { html, components } = value as StoredRichText;
    const references = richTextReferences(html);
    for (const { kind, id } of references.linkedItems) if (kind === 'item') into.items.add(id);
    for (const id of references.links) into.links.add(id);
    for (const id of references.assets) into.assets.add(id);
    for (const component of components) {
      const componentType = model.typeById.get(component.type);
      if (componentType) await collectReferences(model, componentType, component.elements, into);
    }
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
