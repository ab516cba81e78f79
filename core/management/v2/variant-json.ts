import type { Variant } from '../../content/variant-rows.ts';
import { workflowStepOf } from '../../content/workflow-step-of.ts';
import { type ContentType, ELEMENT_KINDS, type Field, type ProjectModel } from '../../model/model.ts';
import { normalValue } from '../../model/normal-value.ts';
import { toManagement } from '../../model/rich-text/to-management.ts';
import type { StoredElements, StoredRichText, StoredUrlSlug } from '../../model/values.ts';

/** Spec 2.7; clients need `workflow_step` (facts 3.6). */
export function variantToJson(model: ProjectModel, variant: Variant, mediaType: string): unknown {
  return {
    elements: elementsToJson(model, variant.item.type, variant.elements, mediaType),
    workflow_step: { id: workflowStepOf(variant).id },
    item: { id: variant.item.id },
    language: { id: variant.language.id },
    last_modified: variant.lastModified,
  };
}

/** All elements of the type in its order, snippets expanded in place (facts 3.6). */
function elementsToJson(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  mediaType: string,
): unknown[] {
  return type.fields.map((field) => ({
    element: { id: field.element.id },
    ...valueToJson(model, field, elements, mediaType),
  }));
}

function valueToJson(
  model: ProjectModel,
  { element }: Field,
  elements: StoredElements,
  mediaType: string,
): object {
  const value = normalValue(model, element, elements[element.id]);
  switch (ELEMENT_KINDS[element.type]) {
    case 'list':
      return { value: (value as readonly string[]).map((id) => ({ id })) };
    case 'slug': {
      const slug = value as StoredUrlSlug;
      return { value: slug.value, mode: slug.mode };
    }
    case 'rich text': {
      const { html, components } = value as StoredRichText;
      return {
        value: toManagement(html, mediaType),
        components: components.flatMap((component) => {
          const type = model.typeById.get(component.type);
          if (!type) return [];
          return [
            {
              id: component.id,
              type: { id: component.type },
              elements: elementsToJson(model, type, component.elements, mediaType),
            },
          ];
        }),
      };
    }
    case 'text':
    case 'number':
      return { value };
  }
}
