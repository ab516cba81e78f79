/**
 * JSON Schemas (2020-12) of every body that delivery and preview answer. Closed where our answers are
 * closed, so that a test that checks answers against them also finds what should not be there.
 */

import { arrayOf, byType, closed, mapOf, type Schema, schema, text } from '../http/openapi-shapes.ts';
import type { ValueKind } from '../model/model.ts';
import { elementSchemas } from './openapi-elements.ts';

const codename: Schema = {
  type: 'string',
  pattern: '^[a-z0-9_]+$',
  description: 'Name for use in code: lower-case letters, digits and underscores.',
};
const guid: Schema = {
  type: 'string',
  format: 'uuid',
  pattern: '^[0-9a-f-]{36}$',
  description: 'GUID, lower case.',
};
const languageCodename: Schema = {
  type: 'string',
  minLength: 1,
  description: 'Codename of a language; keeps its case.',
};
const modified: Schema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{7}Z$',
  description:
    'Time of the last change, UTC. Always seven digits of a second, so that the text sorts as time.',
};

function itemSchemas(): Schema {
  const linked = mapOf(
    schema('Item'),
    'Linked items and components by codename; each once, however often it is linked.',
    schema('Codename'),
  );
  const items = arrayOf(schema('Item'), 'Items of the page.');
  return {
    Item: closed(
      {
        system: closed(
          {
            id: schema('Guid'),
            name: text('Display name.'),
            codename: schema('Codename'),
            language: {
              ...schema('LanguageCodename'),
              description: 'Language the content is in, after fallback.',
            },
            type: { ...schema('Codename'), description: 'Codename of the content type.' },
            sitemap_locations: arrayOf(schema('Codename'), 'Codenames of sitemap nodes.'),
            last_modified: schema('Modified'),
          },
          'Facts about the item; a projection keeps all of them.',
        ),
        elements: mapOf(
          schema('Element'),
          'Elements by codename, in the order of the type.',
          schema('Codename'),
        ),
      },
      'A content item or, inside `modular_content`, a component of a rich text.',
    ),
    ItemAnswer: closed({ item: schema('Item'), modular_content: linked }, 'One item.'),
    ItemListing: closed(
      { items, modular_content: linked, pagination: schema('Pagination') },
      'A page of items.',
    ),
    ItemFeed: closed(
      { items, modular_content: linked },
      'A part of the feed; `X-Continuation` names the next one.',
    ),
  };
}

function modelSchemas(): Schema {
  const named = { id: schema('Guid'), name: text('Display name.'), codename: schema('Codename') };
  const elementName = text('Display name of the element.');
  const group = { ...schema('Codename'), description: 'Codename of the taxonomy group.' };
  const options = arrayOf(schema('Option'), 'Options in the order of the type.');
  const kinds = {
    text: 'Plain',
    rich_text: 'Plain',
    number: 'Plain',
    date_time: 'Plain',
    asset: 'Plain',
    modular_content: 'Plain',
    url_slug: 'Plain',
    custom: 'Plain',
    multiple_choice: 'Choice',
    taxonomy: 'Taxonomy',
  } satisfies Record<ValueKind, string>;
  const plain = Object.entries(kinds).flatMap(([type, name]) => (name === 'Plain' ? [type] : []));
  const variants = (suffix: string, more: Schema): Schema => ({
    [`Plain${suffix}`]: closed(
      { type: { enum: plain }, name: elementName, ...more },
      'Element without further attributes.',
    ),
    [`Choice${suffix}`]: closed(
      { type: { const: 'multiple_choice' }, name: elementName, options, ...more },
      'Multiple choice element.',
    ),
    [`Taxonomy${suffix}`]: closed(
      { type: { const: 'taxonomy' }, name: elementName, taxonomy_group: group, ...more },
      'Taxonomy element.',
    ),
  });
  const suffixed = (suffix: string) =>
    Object.fromEntries(Object.entries(kinds).map(([type, name]) => [type, `${name}${suffix}`]));
  return {
    ...variants('ElementOfType', {}),
    ...variants('ElementView', { codename: schema('Codename') }),
    ElementOfType: byType(suffixed('ElementOfType'), 'Definition of an element; its codename is its key.'),
    ElementView: byType(suffixed('ElementView'), 'Definition of one element, with its codename.'),
    Type: closed(
      {
        system: closed({ ...named, last_modified: schema('Modified') }, 'Facts about the type.'),
        elements: mapOf(
          schema('ElementOfType'),
          'Elements by codename; those of snippets are `<snippet>__<element>`.',
          schema('Codename'),
        ),
      },
      'A content type.',
    ),
    TypeListing: closed(
      { types: arrayOf(schema('Type'), 'Types of the page.'), pagination: schema('Pagination') },
      'A page of content types.',
    ),
    Term: closed(
      {
        name: text('Display name.'),
        codename: schema('Codename'),
        terms: arrayOf(schema('Term'), 'Terms below this one; empty for a leaf.'),
      },
      'A term of a taxonomy group.',
    ),
    Taxonomy: closed(
      {
        system: closed({ ...named, last_modified: schema('Modified') }, 'Facts about the group.'),
        terms: arrayOf(schema('Term'), 'Terms of the first level.'),
      },
      'A taxonomy group.',
    ),
    TaxonomyListing: closed(
      { taxonomies: arrayOf(schema('Taxonomy'), 'Groups of the page.'), pagination: schema('Pagination') },
      'A page of taxonomy groups.',
    ),
    Language: closed(
      {
        system: closed({ ...named, codename: schema('LanguageCodename') }, 'Facts about the language.'),
      },
      'A language of the project.',
    ),
    LanguageListing: closed(
      { languages: arrayOf(schema('Language'), 'Languages of the page.'), pagination: schema('Pagination') },
      'A page of languages.',
    ),
  };
}

/** Component schemas by name. `mediaType` is the `service` of `application/service` in rich text. */
export function deliverySchemas(mediaType: string): Schema {
  const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
  return {
    Guid: guid,
    Codename: codename,
    LanguageCodename: languageCodename,
    Modified: modified,
    Pagination: closed(
      {
        skip: count('Entries skipped, as requested; 0 when not given.'),
        limit: count('Entries a page, as requested; 0 when not given.'),
        count: count('Entries in this page.'),
        total_count: count('Entries on all pages; only with `includeTotalCount`.'),
        next_page: {
          type: 'string',
          pattern: '^($|https?://)',
          description: 'URL of the next page; empty on the last one.',
        },
      },
      'Position of the page in the listing.',
      ['total_count'],
    ),
    Error: closed(
      {
        message: {
          type: 'string',
          minLength: 1,
          description: 'What is wrong and, where it helps, what to do.',
        },
        request_id: { type: 'string', minLength: 1, description: 'The same as in `X-Request-ID`.' },
        error_code: { type: 'integer', minimum: 0, description: 'Stable code of the error.' },
        specific_code: { type: 'integer', minimum: 0, description: 'Always 0.' },
      },
      'Every error of every surface but the management API has this body.',
    ),
    ...elementSchemas(mediaType),
    ...itemSchemas(),
    ...modelSchemas(),
  };
}
