/** The largest and most awkward bodies that a holder of a key may send. */
import { isLongForm } from '../support/long-form.ts';
import type { Random } from '../support/random/random.ts';
import type { Target } from './hostile-requests.ts';

export interface HostileBody {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

/** Just below the default limit of JSON bodies. */
const MOST_BYTES = 8 * 1024 * 1024 - 4096;
/** Longest value of an element: 100,000 characters. */
const VALUE = 99_999;

const fill = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));

/** Values of a rich text element. */
const RICH_TEXTS: Readonly<Record<string, string>> = {
  'unknown tags that stay open': fill('<x>', VALUE),
  'known tags that stay open': fill('<p>', VALUE),
  'lists in lists': fill('<ul><li>', VALUE),
  'tags closed in the wrong order': `<p>${fill('<b></i>', VALUE - 10)}`,
  'closing tags alone': fill('</p>', VALUE),
  'marks in marks': `<p>${fill('<em><strong>', VALUE - 10)}`,
  'one tag with many attributes': `<p ${fill('a="" ', VALUE - 20)}>x</p>`,
  'one attribute without an end': `<p><a href="${'a'.repeat(VALUE - 20)}`,
  'character references': `<p>${fill('&amp;', VALUE - 10)}</p>`,
  'broken character references': `<p>${fill('&#x', VALUE - 10)}</p>`,
  'less-than signs': fill('<', VALUE),
  'comments that stay open': fill('<!--', VALUE),
  'objects that are nowhere': fill(
    '<object type="application/service" data-type="item" data-rel="link" data-codename="no"></object>',
    VALUE,
  ),
  'links to items that are nowhere': `<p>${fill('<a data-item-id="00000000-0000-4000-8000-000000000000">x</a>', VALUE - 10)}</p>`,
  'images that are nowhere': fill(
    '<figure data-image-id="00000000-0000-4000-8000-000000000000"><img src="#"></figure>',
    VALUE,
  ),
  paragraphs: fill('<p>a</p>', VALUE),
  'line breaks': `<p>${fill('<br/>', VALUE - 10)}</p>`,
  'a table of one row': `<table><tbody><tr>${fill('<td>a</td>', VALUE - 60)}</tr></tbody></table>`,
  'a table of empty rows': `<table><tbody>${fill('<tr></tr>', VALUE - 60)}</tbody></table>`,
};

/** Of one body: together they take far more than what one run may. */
const COMPONENTS = isLongForm ? 40 : 10;
const BLOCK_ID = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;

/** Texts that are hard for JSON parsers; each is made when it is sent. */
const JSON_TEXTS: Readonly<Record<string, () => string>> = {
  'arrays in arrays': () => fill('[', MOST_BYTES),
  'objects in objects': () => fill('{"a":', MOST_BYTES),
  'many numbers': () => `[${fill('1,', MOST_BYTES - 10)}1]`,
  'many members': () => `{${Array.from({ length: 400_000 }, (_, at) => `"k${at}":0`).join(',')}}`,
  'one member again and again': () => `{${fill('"name":"x",', MOST_BYTES - 20)}"name":"x"}`,
  'one long text': () => `{"name":"${'a'.repeat(MOST_BYTES - 20)}"}`,
  'one long text of escapes': () => `{"name":"${fill('\\u0041', MOST_BYTES - 20)}"}`,
  'one long number': () => `{"name":${'1'.repeat(MOST_BYTES - 20)}}`,
  'white space': () => `{"name":"x"${' '.repeat(MOST_BYTES - 20)}}`,
  'an error at the very end': () =>
    `{"elements":[${fill('{"element":{"codename":"title"},"value":"x"},', MOST_BYTES - 30)}x]}`,
};

/** One after another: all at once are half a gigabyte. */
export function* hostileBodies(random: Random, { project, items }: Target): Generator<HostileBody> {
  const base = `/manage/v2/projects/${project}`;
  const anyItem = () => random.int(0, items - 1);
  // One generated item in fifty is a draft, and may be written.
  const variant = () =>
    `${base}/items/codename/item_${random.int(0, Math.floor(items / 50) - 1) * 50 + 49}/variants/codename/default`;
  const body = (name: string, method: string, path: string, value: unknown): HostileBody => ({
    name,
    method,
    path,
    body: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  });
  const elements = (codename: string, value: unknown, more: object = {}) => ({
    elements: [{ element: { codename }, value, ...more }],
  });
  const many = <Value>(length: number, make: (at: number) => Value) =>
    Array.from({ length }, (_, at) => make(at));
  const references = many(90_000, () => ({ codename: `item_${anyItem()}` }));
  const names = many(100_000, (at) => ({ name: `Name ${at}` }));
  /** As text: this many levels are too many for those who write JSON as well. */
  const nest = (levels: number, key: string) =>
    `{"name":"outermost","${key}":[${`{"name":"n","${key}":[`.repeat(levels)}${']}'.repeat(levels)}]}`;
  for (const [name, value] of Object.entries(RICH_TEXTS)) {
    yield body(`rich text: ${name}`, 'PUT', variant(), elements('body', value));
    // Each component is parsed as the element is; each of these bodies is megabytes to store.
    if (isLongForm || name === 'paragraphs')
      yield body(
        `rich text in components: ${name}`,
        'PUT',
        variant(),
        elements(
          'body',
          many(
            COMPONENTS,
            (at) =>
              `<object type="application/service" data-type="component" data-id="${BLOCK_ID(at)}"></object>`,
          ).join(''),
          {
            components: many(COMPONENTS, (at) => ({
              id: BLOCK_ID(at),
              type: { codename: 'block' },
              elements: [{ element: { codename: 'content' }, value }],
            })),
          },
        ),
      );
  }
  for (const [name, textOf] of Object.entries(JSON_TEXTS)) {
    yield body(`JSON to items: ${name}`, 'POST', `${base}/items`, textOf());
    // The same parser.
    if (isLongForm) yield body(`JSON to variants: ${name}`, 'PUT', variant(), textOf());
  }
  yield body(
    'objects without an end over a rich text',
    'PUT',
    variant(),
    elements('body', fill('<object type="a" x', MOST_BYTES - 900_000)),
  );
  yield body('a text of all bytes', 'PUT', variant(), elements('title', 'a'.repeat(MOST_BYTES - 100)));
  yield body('a text as long as may be', 'PUT', variant(), elements('title', 'é'.repeat(VALUE)));
  yield body('a slug as long as may be', 'PUT', variant(), elements('slug', 'a-'.repeat(VALUE / 2)));
  yield body('linked items', 'PUT', variant(), elements('related', references));
  yield body('options', 'PUT', variant(), elements('category', references));
  yield body('terms', 'PUT', variant(), elements('topics', references));
  yield body('elements again and again', 'PUT', variant(), {
    elements: many(80_000, () => ({ element: { codename: 'title' }, value: 'x' })),
  });
  yield body('sitemap locations', 'POST', `${base}/items`, {
    name: 'x',
    type: { codename: 'article' },
    sitemap_locations: references,
  });
  yield body('terms of a new group', 'POST', `${base}/taxonomies`, {
    name: 'Many',
    terms: many(100_000, (at) => ({ name: `Term ${at}`, terms: [] })),
  });
  yield body('terms in terms', 'POST', `${base}/taxonomies`, nest(50_000, 'terms'));
  yield body('elements of a new type', 'POST', `${base}/types`, {
    name: 'Wide',
    elements: many(50_000, (at) => ({ type: 'text', name: `Element ${at}` })),
  });
  yield body('options of a new element', 'POST', `${base}/types`, {
    name: 'Options',
    elements: [{ type: 'multiple_choice', mode: 'multiple', name: 'One', options: names }],
  });
  yield body('elements of a new snippet', 'POST', `${base}/snippets`, {
    name: 'Wide',
    elements: many(50_000, (at) => ({ type: 'text', name: `Element ${at}` })),
  });
  yield body(
    'operations on a type',
    'PATCH',
    `${base}/types/codename/article`,
    many(60_000, (at) => ({ op: 'replace', path: '/name', value: `Article ${at}` })),
  );
  yield body(
    'elements added one by one',
    'PATCH',
    `${base}/types/codename/news`,
    many(40_000, (at) => ({
      op: 'addInto',
      path: '/elements',
      value: { type: 'text', name: `Element ${at}` },
    })),
  );
  yield body(
    'operations on a group',
    'PATCH',
    `${base}/taxonomies/codename/topics`,
    many(40_000, (at) => ({ op: 'addInto', value: { name: `Term ${at}`, terms: [] } })),
  );
  yield body('folders', 'POST', `${base}/folders`, {
    folders: many(60_000, (at) => ({ name: `Folder ${at}`, folders: [] })),
  });
  yield body('folders in folders', 'POST', `${base}/folders`, nest(50_000, 'folders'));
  yield body('triggers of a webhook', 'POST', `${base}/webhooks`, {
    name: 'Many',
    url: 'https://receiver.invalid/',
    triggers: {
      delivery_api_content_changes: many(90_000, () => ({ type: 'content_item', operations: ['publish'] })),
    },
  });
  yield body('descriptions of an asset', 'POST', `${base}/assets`, {
    title: 'x',
    descriptions: many(60_000, () => ({ language: { codename: 'default' }, description: 'x' })),
  });
  yield body('a name of all bytes', 'POST', `${base}/items`, {
    name: 'ä'.repeat(MOST_BYTES / 2 - 100),
    type: { codename: 'article' },
  });
  yield body('a codename of all bytes', 'POST', `${base}/items`, {
    name: 'x',
    codename: '_'.repeat(MOST_BYTES - 100),
    type: { codename: 'article' },
  });
}
