import type { Variant } from '../../content/variant-rows.ts';
import { closed, mapOf } from '../../http/openapi-shapes.ts';
import { invalidBody, type JsonObject } from '../../json-body/parse-body.ts';
import type { ElementInput } from '../../model/inputs.ts';
import { ELEMENT_KINDS, type Field, type ProjectModel } from '../../model/model.ts';
import { normalValue } from '../../model/normal-value.ts';
import { toManagement } from '../../model/rich-text/to-management.ts';
import type { StoredRichText, StoredUrlSlug, StoredValue } from '../../model/values.ts';
import type { ElementsOfBody } from '../dialect.ts';
import { dateTime, idReference } from '../management-schemas.ts';

/** All elements of the type, by codename, in the order of the type (spec 2.10). */
export function variantToJson(model: ProjectModel, variant: Variant, mediaType: string): unknown {
  const { fields } = variant.item.type;
  return {
    elements: Object.fromEntries(
      fields.map((field) => [
        field.codename,
        valueToJson(field, normalValue(model, field.element, variant.elements[field.element.id]), mediaType),
      ]),
    ),
    item: { id: variant.item.id },
    language: { id: variant.language.id },
    last_modified: variant.lastModified,
  };
}

function valueToJson({ element }: Field, value: StoredValue, mediaType: string): StoredValue | object[] {
  switch (ELEMENT_KINDS[element.type]) {
    case 'list':
      return (value as readonly string[]).map((id) => ({ id }));
    case 'slug':
      return (value as StoredUrlSlug).value;
    case 'rich text':
      return toManagement((value as StoredRichText).html, mediaType);
    case 'text':
      return element.type === 'text' ? (value ?? '') : value;
    case 'number':
      return value;
  }
}

/** Elements that the body does not contain stay unchanged. */
export function elementsOf(body: JsonObject): ElementsOfBody {
  const { elements } = body;
  if (typeof elements !== 'object' || elements === null || Array.isArray(elements)) {
    throw invalidBody([{ message: 'An object of elements by codename is expected.', path: 'elements' }]);
  }
  const codenames = Object.keys(elements);
  return {
    elements: Object.entries(elements).map(
      ([codename, value]): ElementInput => ({ element: { codename }, value }),
    ),
    pathOf: (path) =>
      path.replace(
        /^elements\[(\d+)\](?:\.(?:element|value)\b)?/,
        (_, index) => `elements.${codenames[Number(index)]}`,
      ),
  };
}

export const variantSchemasV1 = {
  ManagedVariantV1: closed(
    {
      elements: mapOf({}, 'Values by codename, all elements of the type.'),
      item: idReference,
      language: idReference,
      last_modified: dateTime,
    },
    'A language variant.',
  ),
};
