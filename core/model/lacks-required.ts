import { isEmpty } from './find-violations.ts';
import type { ContentType, ProjectModel } from './model.ts';
import { normalValue } from './normal-value.ts';
import { CANONICAL_EMPTY_RICH_TEXT } from './rich-text/canonical.ts';
import type { StoredElements, StoredRichText } from './values.ts';

/** Whether a required element has no value, of the item or of a component in it: what `findViolations` reports as missing. */
export function lacksRequired(
  model: ProjectModel,
  { fields }: ContentType,
  elements: StoredElements,
): boolean {
  return fields.some(({ element }) => {
    const stored = elements[element.id];
    if (element.type !== 'rich_text')
      return element.is_required && isEmpty(normalValue(model, element, stored));
    const { html = '', components = [] } = (stored ?? {}) as Partial<StoredRichText>;
    if (element.is_required && (html === '' || html === CANONICAL_EMPTY_RICH_TEXT)) return true;
    return components.some((component) => {
      const inner = model.typeById.get(component.type);
      return inner !== undefined && lacksRequired(model, inner, component.elements);
    });
  });
}
