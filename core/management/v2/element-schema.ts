import {
  arrayOf,
  closed,
  count,
  flag,
  id,
  oneOf,
  open,
  orNull,
  type Schema,
  text,
} from '../../http/openapi-shapes.ts';
import { ELEMENT_KINDS, type ElementAttribute } from '../../model/model.ts';
import { idReference, reference } from '../management-schemas.ts';

const countLimit = closed(
  {
    value: count('How many.'),
    condition: oneOf(['at_most', 'exactly', 'at_least'], 'Comparison with the number.'),
  },
  'A limit.',
);
const textLimit = closed(
  { value: count('How many.'), applies_to: oneOf(['words', 'characters'], 'What is counted.') },
  'A limit.',
);
const fileTypes = oneOf(['any', 'adjustable'], '`adjustable`: images that can be transformed, only.');
const option = (one: Schema): Schema => ({
  ...one,
  properties: {
    id: id('Id.'),
    codename: text('Codename.'),
    name: text('Name.'),
    external_id: text('External id.'),
  },
});

/** Properties that only some kinds of elements have. */
function ofKinds(refer: Schema) {
  return {
    maximum_text_length: orNull(textLimit),
    maximum_image_size: orNull(count('Bytes.')),
    maximum_file_size: orNull(count('Bytes.')),
    allowed_content_types: arrayOf(refer, 'Types of items; all when empty.'),
    image_width_limit: orNull(countLimit),
    image_height_limit: orNull(countLimit),
    allowed_image_types: fileTypes,
    allowed_file_types: fileTypes,
    asset_count_limit: orNull(countLimit),
    item_count_limit: orNull(countLimit),
    term_count_limit: orNull(countLimit),
    mode: oneOf(['single', 'multiple'], 'How many options can be chosen.'),
    taxonomy_group: refer,
    depends_on: open({ element: refer, snippet: refer }, 'The text element that it is generated from.', [
      'element',
    ]),
    source_url: text('Page of the custom element.'),
    json_parameters: orNull(text('Handed to the custom element.')),
    allowed_elements: arrayOf(refer, 'Elements whose values it may read.'),
    snippet: refer,
    name: text('Name.'),
    guidelines: orNull(text('For editors.')),
    is_required: flag('Content without it is not complete.'),
    external_id: text('External id.'),
    codename: text('Codename.'),
    content_group: refer,
  } satisfies Record<Exclude<ElementAttribute, 'type' | 'id' | 'options'>, Schema>;
}

function element(): Schema {
  const properties: Record<string, Schema> = {
    type: oneOf(Object.keys(ELEMENT_KINDS), 'Kind of the element; what else it has depends on it.'),
    id: id('Id.'),
    ...ofKinds(idReference),
    options: arrayOf(option(closed({}, 'An option.')), 'Options in order.'),
  };
  const all = Object.keys(properties);
  return closed(
    properties,
    'An element of a type or snippet.',
    all.filter((key) => !['type', 'id', 'codename'].includes(key)),
  );
}

function elementInput(): Schema {
  return open(
    {
      type: oneOf(Object.keys(ELEMENT_KINDS), 'Kind of the element.'),
      ...ofKinds(reference),
      options: arrayOf(option(open({}, 'An option.', ['name'])), 'Options in order.'),
    },
    'An element to be created.',
    ['type'],
  );
}

export const elementSchemas = {
  ManagedElement: element(),
  ManagedElementInput: elementInput(),
  ManagedDefinitionOperations: arrayOf(
    open(
      {
        op: oneOf(['addInto', 'move', 'remove', 'replace'], 'Operation.'),
        path: text(
          'Where: `/name`, `/elements`, `/elements/codename:x/guidelines`, `/elements/id:…/options/codename:y` …',
        ),
        value: { description: 'The added or new value.' },
        before: reference,
        after: reference,
      },
      'One operation.',
      ['op', 'path'],
    ),
    'Operations in order.',
  ),
};
