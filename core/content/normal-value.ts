import { EMPTY_RICH_TEXT } from '../rich-text/canonical.ts';
import type { ContentType, ProjectModel, ValueElement } from './model.ts';
import type {
  StoredComponent,
  StoredElements,
  StoredRichText,
  StoredUrlSlug,
  StoredValue,
} from './values.ts';

/**
 * A stored value as it counts for readers and writers: elements that were never written are empty, empty
 * texts are null, options and terms that the model no longer has are not there. A term that was named by an
 * external id before it exists stays.
 */
export function normalValue(
  model: ProjectModel,
  element: ValueElement,
  value: StoredValue | undefined,
): StoredValue {
  switch (element.type) {
    case 'text':
    case 'custom':
      return value || null;
    case 'number':
    case 'date_time':
      return value ?? null;
    case 'url_slug':
      return value ?? ({ value: '', mode: 'custom' } satisfies StoredUrlSlug);
    case 'multiple_choice':
      return ids(value).filter((id) => element.options.some((option) => option.id === id));
    case 'taxonomy': {
      const group = model.taxonomyById.get(element.taxonomy_group.id);
      return ids(value).filter((id) => group?.termById.has(id) || id[VERSION_DIGIT] === '5');
    }
    case 'asset':
    case 'modular_content':
      return ids(value);
    case 'rich_text': {
      const { html, components } = (value ?? EMPTY) as StoredRichText;
      return {
        html: html || EMPTY_RICH_TEXT,
        components: components.map((one) => normalComponent(model, one)),
      };
    }
  }
}

/** Nobody can tell the two apart; the order of the keys says nothing. */
export function sameElements(
  model: ProjectModel,
  type: ContentType,
  before: StoredElements,
  after: StoredElements,
): boolean {
  return type.fields.every(({ element }) => {
    const [one, other] = [before[element.id], after[element.id]];
    if (one === other || JSON.stringify(one) === JSON.stringify(other)) return true;
    return (
      JSON.stringify(normalValue(model, element, one)) === JSON.stringify(normalValue(model, element, other))
    );
  });
}

const EMPTY: StoredRichText = { html: EMPTY_RICH_TEXT, components: [] };

/** Where a GUID tells its version; ids made from external ids have 5. */
const VERSION_DIGIT = 14;

function ids(value: StoredValue | undefined): readonly string[] {
  return (value ?? []) as readonly string[];
}

function normalComponent(model: ProjectModel, component: StoredComponent): StoredComponent {
  const fields = model.typeById.get(component.type)?.fields ?? [];
  return {
    ...component,
    elements: Object.fromEntries(
      fields.map(({ element }) => [element.id, normalValue(model, element, component.elements[element.id])]),
    ),
  };
}
