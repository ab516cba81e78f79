/** JSON Schemas of element values, one a kind (spec 2.2), and of what they hold. */
import { arrayOf, byType, closed, mapOf, type Schema, schema, text } from '../http/openapi-shapes.ts';
import type { ValueKind } from '../model/model.ts';

function element(type: string, value: Schema, description: string, extra: Schema = {}): Schema {
  return closed(
    { type: { const: type }, name: text('Display name of the element.'), ...extra, value },
    description,
  );
}

export function elementSchemas(mediaType: string): Schema {
  const url: Schema = { type: 'string', format: 'uri', description: 'Absolute URL of the file.' };
  return {
    Option: closed({ name: text('Display name.'), codename: schema('Codename') }, 'A choice or a term.'),
    Asset: closed(
      {
        name: text('File name.'),
        type: text('Media type.'),
        size: { type: 'integer', minimum: 0, description: 'Bytes.' },
        description: {
          type: ['string', 'null'],
          description: 'Alternative text in the language of the item.',
        },
        url,
      },
      'A file of an asset element.',
    ),
    RichTextImage: closed(
      {
        image_id: schema('Guid'),
        description: text('Alternative text; empty when there is none.'),
        url,
      },
      'An image inside a rich text.',
    ),
    RichTextLink: closed(
      {
        codename: schema('Codename'),
        type: { ...schema('Codename'), description: 'Codename of the content type of the target.' },
        url_slug: text('Slug of the target; empty when its type has no such element.'),
      },
      'Target of a link to a content item.',
    ),
    TextElement: element('text', text('Empty text when there is none.'), 'Plain text.'),
    RichTextElement: element(
      'rich_text',
      text(
        'HTML. Items and components appear in it as ' +
          `\`<object type="application/${mediaType}" data-type="item" data-rel="link|component" data-codename="…">\`, ` +
          'links to items as `<a data-item-id="…">`, images as `<figure data-image-id="…">`.',
      ),
      'Formatted text with images, links, items and components.',
      {
        images: mapOf(schema('RichTextImage'), 'Images by id.', schema('Guid')),
        links: mapOf(
          schema('RichTextLink'),
          'Targets of links by item id; those that cannot be read are missing.',
          schema('Guid'),
        ),
        modular_content: arrayOf(schema('Codename'), 'Items in order of appearance, then components.'),
      },
    ),
    NumberElement: element('number', { type: ['number', 'null'] }, 'Decimal number; null when empty.'),
    DateTimeElement: element(
      'date_time',
      {
        type: ['string', 'null'],
        format: 'date-time',
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
      },
      'Time in UTC to the second; null when empty.',
    ),
    MultipleChoiceElement: element(
      'multiple_choice',
      arrayOf(schema('Option'), 'Chosen options in the order of the type.'),
      'One or several options.',
    ),
    TaxonomyElement: element(
      'taxonomy',
      arrayOf(schema('Option'), 'Chosen terms.'),
      'Terms of a taxonomy group.',
      {
        taxonomy_group: { ...schema('Codename'), description: 'Codename of the group.' },
      },
    ),
    AssetElement: element('asset', arrayOf(schema('Asset'), 'Files in the order the editor gave.'), 'Files.'),
    LinkedItemsElement: element(
      'modular_content',
      arrayOf(
        schema('Codename'),
        'Codenames of items; those within `depth` are in `modular_content` of the answer.',
      ),
      'Linked items.',
    ),
    UrlSlugElement: element('url_slug', text('Empty text when there is none.'), 'Part of a URL.'),
    CustomElement: element(
      'custom',
      { type: ['string', 'null'] },
      'Text of a custom editor; null when empty.',
    ),
    Element: byType(
      {
        text: 'TextElement',
        rich_text: 'RichTextElement',
        number: 'NumberElement',
        multiple_choice: 'MultipleChoiceElement',
        date_time: 'DateTimeElement',
        asset: 'AssetElement',
        modular_content: 'LinkedItemsElement',
        taxonomy: 'TaxonomyElement',
        url_slug: 'UrlSlugElement',
        custom: 'CustomElement',
      } satisfies Record<ValueKind, string>,
      'Value of an element; its shape follows from `type`.',
    ),
  };
}
