/**
 * The project of the API tests: small. Articles and a note about a harbour, in
 * English, German (falls back to English) and Austrian German (falls back to German); French is inactive.
 *
 * lighthouse → harbour → ferry → lighthouse is a cycle; `hidden` was never published, `anchor` has a newer
 * draft, `pier` is empty in every element, `only_german` has no English variant.
 */
import type { Block, OracleValues } from '../oracle/content.ts';
import { DEFAULT_LANGUAGE } from '../random/content-draft.ts';
import type { ElementStep, Step } from '../random/steps.ts';

export const COMPONENT_ID = '0badcafe-0000-4000-8000-000000000001';
export const NESTED_COMPONENT_ID = 'badcafe0-0000-4000-8000-000000000002';
export const COMPONENT = 'n0badcafe_0000_4000_8000_000000000001';
export const NESTED_COMPONENT = 'badcafe0_0000_4000_8000_000000000002';

const element = (
  codename: string,
  kind: ElementStep['kind'],
  name: string,
  more: Partial<ElementStep> = {},
): ElementStep => ({ key: codename, codename, kind, name, ...more });

const option = (codename: string, name: string) => ({ key: codename, codename, name });
const term = (codename: string, name: string, terms: ReturnType<typeof leaf>[] = []) => ({
  ...leaf(codename, name),
  terms,
});
const leaf = (codename: string, name: string) => ({ key: codename, codename, name, terms: [] as never[] });

const MODEL: readonly Step[] = [
  { do: 'language', key: DEFAULT_LANGUAGE, name: 'English', codename: 'en-US', active: true, fallback: null },
  { do: 'language', key: 'de', name: 'Deutsch', codename: 'de-DE', active: true, fallback: DEFAULT_LANGUAGE },
  { do: 'language', key: 'at', name: 'Österreich', codename: 'de-AT', active: true, fallback: 'de' },
  { do: 'language', key: 'fr', name: 'Français', codename: 'fr', active: true, fallback: DEFAULT_LANGUAGE },
  {
    do: 'taxonomy',
    ...leaf('topics', 'Topics'),
    terms: [
      term('boats', 'Boats', [leaf('sailing', 'Sailing'), leaf('electric', 'Electric')]),
      leaf('coast', 'Coast'),
    ],
  },
  { do: 'taxonomy', ...leaf('audience', 'Audience'), terms: [leaf('children', 'Children')] },
  {
    do: 'sitemap',
    nodes: [
      {
        key: 'home',
        codename: 'home',
        name: 'Home',
        nodes: [{ key: 'news', codename: 'news', name: 'News', nodes: [] }],
      },
      { key: 'shop', codename: 'shop', name: 'Shop', nodes: [] },
    ],
  },
  {
    do: 'snippet',
    key: 'metadata',
    name: 'Metadata',
    codename: 'metadata',
    elements: [element('meta_title', 'text', 'Meta title')],
  },
  {
    do: 'type',
    key: 'article',
    name: 'Article',
    codename: 'article',
    elements: [
      element('advice', 'guidelines', 'Advice'),
      element('title', 'text', 'Title'),
      element('body', 'rich_text', 'Body'),
      element('price', 'number', 'Price'),
      element('opened', 'date_time', 'Opened'),
      element('url', 'url_slug', 'URL', { dependsOn: 'title' }),
      element('topics_element', 'taxonomy', 'Topics', { codename: 'topics', group: 'topics' }),
      element('state', 'multiple_choice', 'State', {
        mode: 'multiple',
        options: [option('new', 'New'), option('used', 'Used'), option('sold', 'Sold')],
      }),
      element('related', 'modular_content', 'Related'),
      element('photos', 'asset', 'Photos'),
      element('rating', 'custom', 'Rating'),
      element('metadata_element', 'snippet', 'Metadata', { codename: 'metadata', snippet: 'metadata' }),
    ],
  },
  {
    do: 'type',
    key: 'note',
    name: 'Note',
    codename: 'note',
    elements: [
      element('note_title', 'text', 'Note title', { codename: 'title' }),
      element('amount', 'number', 'Amount'),
    ],
  },
  {
    do: 'type',
    key: 'teaser',
    name: 'Teaser',
    codename: 'teaser',
    elements: [
      element('heading', 'text', 'Heading'),
      element('target', 'modular_content', 'Target'),
      element('inner', 'rich_text', 'Inner'),
    ],
  },
  {
    do: 'asset',
    key: 'photo',
    fileName: 'light house.jpg',
    type: 'image/jpeg',
    content: 'not really an image',
    descriptions: { [DEFAULT_LANGUAGE]: 'The "old" light', de: 'Das alte Licht' },
  },
  { do: 'asset', key: 'map', fileName: 'map.png', type: 'image/png', content: 'map', descriptions: {} },
];

const item = (key: string, name: string, type: string, sitemap: readonly string[] = []): Step => ({
  do: 'item',
  key,
  name,
  codename: key,
  type,
  sitemap,
});

const ITEMS: readonly Step[] = [
  item('lighthouse', 'Lighthouse', 'article', ['news', 'shop']),
  item('harbour', 'The harbour', 'article', ['home']),
  item('ferry', 'Ferry', 'article', ['shop']),
  item('pier', 'Pier', 'article'),
  item('tide', 'Tide', 'article'),
  item('memo', 'Memo', 'note'),
  item('hidden', 'Hidden', 'article'),
  item('anchor', 'Anchor', 'article'),
  item('only_german', 'Nur deutsch', 'note'),
];

const BODY: readonly Block[] = [
  { block: 'h1', inlines: [{ text: 'Over R&D <sea>' }] },
  {
    block: 'p',
    inlines: [
      { text: 'See ' },
      { linkTo: 'harbour', text: 'the harbour' },
      { text: ' or ' },
      { linkTo: 'hidden', text: 'nothing' },
    ],
  },
  { block: 'figure', asset: 'photo' },
  {
    block: 'component',
    component: {
      id: COMPONENT_ID,
      type: 'teaser',
      values: {
        heading: 'A teaser',
        target: ['tide'],
        inner: {
          blocks: [
            {
              block: 'component',
              component: {
                id: NESTED_COMPONENT_ID,
                type: 'teaser',
                values: { heading: 'Nested', target: ['memo'] },
              },
            },
          ],
        },
      },
    },
  },
  { block: 'item', item: 'harbour' },
];

const LIGHTHOUSE: OracleValues = {
  title: 'Lighthouse',
  body: { blocks: BODY },
  price: 8.5,
  opened: '2019-01-01T00:00:00Z',
  url: 'lighthouse',
  topics_element: ['sailing', 'coast'],
  state: ['used', 'new'],
  related: ['ferry', 'hidden'],
  photos: ['photo', 'map'],
  rating: 'five',
  meta_title: 'Light',
};

function variant(of: string, values: OracleValues, language = DEFAULT_LANGUAGE): Step[] {
  return [
    { do: 'variant', item: of, language, values },
    { do: 'publish', item: of, language },
  ];
}

const VARIANTS: readonly Step[] = [
  ...variant('lighthouse', LIGHTHOUSE),
  ...variant('harbour', {
    title: 'harbour',
    price: 10,
    url: 'harbour',
    related: ['ferry'],
    topics_element: ['boats'],
  }),
  ...variant('ferry', {
    title: 'Ferry',
    price: 9,
    url: '',
    related: ['lighthouse'],
    topics_element: ['electric'],
  }),
  ...variant('pier', { url: '', rating: '' }),
  ...variant('tide', {
    title: 'Ebb, flow & 100% +[x]',
    price: -1,
    url: '',
    state: ['sold'],
    opened: '2020-02-29T12:30:00Z',
  }),
  ...variant('memo', { note_title: 'Lighthouse', amount: 3 }),
  ...variant('anchor', { title: 'Anchor', price: 9, url: '' }),
  { do: 'new-version', item: 'anchor', language: DEFAULT_LANGUAGE },
  { do: 'variant', item: 'anchor', language: DEFAULT_LANGUAGE, values: { title: 'Anchor, new' } },
  { do: 'variant', item: 'hidden', language: DEFAULT_LANGUAGE, values: { title: 'Hidden', url: '' } },
  ...variant('lighthouse', { title: 'Leuchtturm', price: 8.5, url: 'leuchtturm', photos: ['photo'] }, 'de'),
  ...variant('only_german', { note_title: 'Nur deutsch', amount: 1 }, 'de'),
  ...variant('ferry', { title: 'Fähre', price: 9, url: '' }, 'at'),
  { do: 'language', key: 'fr', name: 'Français', codename: 'fr', active: false, fallback: DEFAULT_LANGUAGE },
];

/** Each a transaction of its own. */
export const HARBOUR: readonly (readonly Step[])[] = [MODEL, ITEMS, ...VARIANTS.map((step) => [step])];
/** Published items readers of the default language see, by codename. */
export const PUBLISHED = ['anchor', 'ferry', 'harbour', 'lighthouse', 'memo', 'pier', 'tide'];
