import type { Issues } from './issues.ts';
import type { ContentType, CountLimit, IdReference, ProjectModel, ValueElement } from './model.ts';
import { countText, ValueError } from './plain-values.ts';
import type { ReferencedContent } from './referenced.ts';
import type { StoredComponent, StoredElements, StoredRichText } from './values.ts';

export interface ReadContext {
  readonly model: ProjectModel;
  readonly issues: Issues;
  readonly content: ReferencedContent;
}

export function checkItemType(
  { content, model, issues }: ReadContext,
  allowed: readonly IdReference[] | undefined,
  key: string,
  path: string,
): void {
  const number = content.get(key)?.type;
  if (!allowed || allowed.length === 0 || number === null || number === undefined) return;
  const type = model.typeByNumber.get(number);
  if (type && !allowed.some(({ id }) => id === type.id)) {
    issues.add(`Items of the type '${type.codename}' are not allowed here.`, path);
  }
}

/** Too many is an error at once; too few is what a draft may have until it is published. */
export function checkCount(limit: CountLimit | null | undefined, count: number, what: string): void {
  if (!limit || limit.condition === 'at_least' || count <= limit.value) return;
  throw new ValueError(`At most ${limit.value} ${what} are allowed.`);
}

export function checkLength(
  element: Extract<ValueElement, { type: 'text' | 'rich_text' }>,
  text: string,
): void {
  const limit = element.maximum_text_length;
  if (!limit || countText(text, limit.applies_to) <= limit.value) return;
  throw new ValueError(`At most ${limit.value} ${limit.applies_to} are allowed.`);
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
