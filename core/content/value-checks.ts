import type { Issues } from '../model/issues.ts';
import type { ContentType, ProjectModel } from '../model/model.ts';
import type { StoredComponent, StoredElements, StoredRichText } from '../model/values.ts';
import type { ReferencedContent } from './referenced.ts';

export interface ReadContext {
  readonly model: ProjectModel;
  readonly issues: Issues;
  readonly content: ReferencedContent;
  /** Values of an archive: they may use removed parts of the model; `validate` reports limits of elements. */
  readonly stored?: true;
}

/**
 * Most elements of all components of an item. Documents contain each, with a value or not: 800 components of a type with
 * 900 elements, 166 KB of JSON, took 12 s of CPU and 800 MB.
 */
const COMPONENT_ELEMENTS = 50_000;

/**
 * Documents contain all components of an item in one map by id, nested ones too.
 * @returns how many elements they have by their types
 */
export function checkComponents(
  issues: Issues,
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
): number {
  let count = 0;
  eachComponent(type, elements, (component, isRepeated) => {
    if (isRepeated)
      issues.add(`The component '${component.id}' is in the item twice; give each an id of its own.`);
    count += model.typeById.get(component.type)?.fields.length ?? 0;
  });
  if (count > COMPONENT_ELEMENTS)
    issues.add(
      `The components of the item have ${count} elements by their types, at most ${COMPONENT_ELEMENTS} are allowed. Use fewer components, or link to items instead.`,
    );
  return count;
}

/** Nested ones too. @param visit is given whether one of the same id was visited before */
export function eachComponent(
  type: ContentType,
  elements: StoredElements,
  visit: (component: StoredComponent, isRepeated: boolean) => void,
): void {
  const seen = new Set<string>();
  const visitAll = (component: StoredComponent) => {
    visit(component, seen.has(component.id));
    seen.add(component.id);
    for (const value of Object.values(component.elements)) componentsOf(value).forEach(visitAll);
  };
  for (const { element } of type.fields) componentsOf(elements[element.id]).forEach(visitAll);
}

function componentsOf(value: StoredElements[string] | undefined): readonly StoredComponent[] {
  return typeof value === 'object' && value !== null && 'components' in value
    ? (value as StoredRichText).components
    : [];
}
