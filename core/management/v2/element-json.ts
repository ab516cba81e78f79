import type { ElementChange } from '../../content/element-definitions.ts';
import type { JsonObject } from '../../json-body/parse-body.ts';
import type { ElementAttribute, ElementDefinition, ValueElement } from '../../model/model.ts';
import type { Fields } from '../fields.ts';
import { readMember } from './read-member.ts';

/** An element of a type or snippet in a request body; only a PATCH has ids. */
export async function readElement(fields: Fields): Promise<ElementChange> {
  fields.require('type');
  const depends = fields.object('depends_on');
  const element = depends?.reference('element');
  const snippet = depends?.reference('snippet');
  return {
    id: fields.text('id'),
    type: fields.text('type') ?? '',
    name: fields.text('name'),
    codename: fields.identifier('codename'),
    external_id: fields.identifier('external_id'),
    guidelines: fields.textOrNull('guidelines'),
    is_required: fields.flag('is_required'),
    content_group: fields.reference('content_group'),
    maximum_text_length: textLength(fields.raw('maximum_text_length')),
    allowed_content_types: await fields.references('allowed_content_types'),
    mode: fields.text('mode') as ElementChange['mode'],
    options: await fields.each('options', readMember),
    asset_count_limit: fields.raw('asset_count_limit'),
    // The description of the API and its answers spell it differently.
    item_count_limit: fields.raw('item_count_limit') ?? fields.raw('items_count_limit'),
    term_count_limit: fields.raw('term_count_limit'),
    maximum_image_size: fields.raw('maximum_image_size'),
    maximum_file_size: fields.raw('maximum_file_size'),
    allowed_image_types: fields.raw('allowed_image_types'),
    allowed_file_types: fields.raw('allowed_file_types'),
    image_width_limit: fields.raw('image_width_limit'),
    image_height_limit: fields.raw('image_height_limit'),
    taxonomy_group: fields.reference('taxonomy_group'),
    depends_on: element && { element, ...(snippet && { snippet }) },
    source_url: fields.text('source_url'),
    json_parameters: fields.textOrNull('json_parameters'),
    allowed_elements: await fields.references('allowed_elements'),
    snippet: fields.reference('snippet'),
  } satisfies Record<ElementAttribute, unknown>;
}

/** A published client writes `applied_to` where the API says `applies_to`. */
function textLength(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('applied_to' in value)) return value;
  return { applies_to: value.applied_to, ...value };
}

export function toElementJson(element: ElementDefinition): JsonObject {
  const { id, codename, external_id, content_group, guidelines, is_required } = element;
  const tail = {
    ...(external_id !== undefined && { external_id }),
    id,
    codename,
    ...(content_group !== undefined && { content_group: { id: content_group.id } }),
  };
  if (element.type === 'guidelines') return { guidelines: guidelines ?? '', type: element.type, ...tail };
  if (element.type === 'snippet') return { snippet: { id: element.snippet.id }, type: element.type, ...tail };
  return {
    ...ofKind(element),
    name: element.name,
    guidelines,
    is_required,
    type: element.type,
    ...tail,
  };
}

/** Properties of this kind of element; limits that are not set are null. */
function ofKind(element: ValueElement): JsonObject {
  switch (element.type) {
    case 'text':
      return { maximum_text_length: element.maximum_text_length ?? null };
    case 'rich_text':
      return {
        maximum_text_length: element.maximum_text_length ?? null,
        maximum_image_size: element.maximum_image_size ?? null,
        allowed_content_types: element.allowed_content_types ?? [],
        image_width_limit: element.image_width_limit ?? null,
        image_height_limit: element.image_height_limit ?? null,
        allowed_image_types: element.allowed_image_types ?? 'any',
      };
    case 'multiple_choice':
      return {
        mode: element.mode,
        options: element.options.map(({ id, codename, name, external_id }) => ({
          id,
          codename,
          name,
          ...(external_id !== undefined && { external_id }),
        })),
      };
    case 'asset':
      return {
        asset_count_limit: element.asset_count_limit ?? null,
        maximum_file_size: element.maximum_file_size ?? null,
        allowed_file_types: element.allowed_file_types ?? 'any',
        image_width_limit: element.image_width_limit ?? null,
        image_height_limit: element.image_height_limit ?? null,
      };
    case 'modular_content':
      return {
        item_count_limit: element.item_count_limit ?? null,
        allowed_content_types: element.allowed_content_types ?? [],
      };
    case 'taxonomy':
      return {
        taxonomy_group: { id: element.taxonomy_group.id },
        term_count_limit: element.term_count_limit ?? null,
      };
    case 'url_slug':
      return { depends_on: element.depends_on };
    case 'custom':
      return {
        source_url: element.source_url,
        json_parameters: element.json_parameters ?? null,
        allowed_elements: element.allowed_elements ?? [],
      };
    case 'number':
    case 'date_time':
      return {};
  }
}
