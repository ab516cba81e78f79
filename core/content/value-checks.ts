import type { Issues } from './issues.ts';
import type { ContentType, ProjectModel } from './model.ts';
import type { ReferencedContent } from './referenced.ts';
import type { StoredComponent, StoredElements, StoredRichText } from './values.ts';

export interface ReadContext {
  readonly model: ProjectModel;
  readonly issues: Issues;
  readonly content: ReferencedContent;
  /**
   * Values come as they were stored, of an archive: what the model had once stays, and limits of elements are for
   * `validate` to tell.
   */
  readonly stored?: true;
}

/** Readers get all components of an item in one map by id, those inside components too. */
export function refuseRepeatedComponents(issues: Issues, type: ContentType, elements: StoredElements): void {
  const seen = new Set<string>();
  const visit = (component: StoredComponent) => {
    if (seen.has(component.id))
      issues.add(`The component '${component.id}' stands in the item twice; give each an id of its own.`);
    seen.add(component.id);
    for (const value of Object.values(component.elements)) componentsOf(value).forEach(visit);
  };
  for (const { element } of type.fields) componentsOf(elements[element.id]).forEach(visit);
}

function componentsOf(value: StoredElements[string] | undefined): readonly StoredComponent[] {
  return typeof value === 'object' && value !== null && 'components' in value
    ? (value as StoredRichText).components
    : [];
}
