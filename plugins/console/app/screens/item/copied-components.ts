import type { ManagedComponent, ManagedElement } from './managed.ts';

/**
 * Copies of elements. Their components, nested ones too, get ids of their own: an answer of delivery has the components of
 * all its items in one map by id, and an item cannot have two with the same.
 */
export function withOwnComponents(
  elements: readonly ManagedElement[],
  newId: () => string = () => crypto.randomUUID(),
): readonly ManagedElement[] {
  return elements.map((element) => {
    if (!element.components?.length) return element;
    let value = String(element.value);
    const components = element.components.map((component) => {
      const id = newId();
      value = value.replaceAll(`data-id="${component.id}"`, `data-id="${id}"`);
      return { ...component, id, elements: withOwnComponents(component.elements, newId) };
    });
    return { ...element, value, components };
  });
}

let copied: ReadonlyMap<string, ManagedComponent> = new Map();

/** What was copied or cut last on this page, as it was then: it can be pasted into other elements and other items. */
export function rememberComponents(components: readonly ManagedComponent[]): void {
  // What is dragged is remembered too: a text without components leaves those that the clipboard has.
  if (components.length > 0) copied = new Map(components.map((component) => [component.id, component]));
}

/** @param id of a component in what is pasted */
export const copiedComponent = (id: string): ManagedComponent | undefined => copied.get(id);
