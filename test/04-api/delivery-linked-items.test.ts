import { expect } from 'chai';
import {
  COMPONENT,
  COMPONENT_ID,
  NESTED_COMPONENT,
  NESTED_COMPONENT_ID,
} from '../support/projects/harbour-project.ts';
import {
  type HarbourService,
  type Listing,
  type Single,
  startHarbour,
} from '../support/projects/harbour-service.ts';

const COMPONENTS = [COMPONENT, NESTED_COMPONENT];

/** Section or reason, path and query, keys of `modular_content`. */
type Row = readonly [why: string, request: string, keys: readonly string[]];

const DEPTH: readonly Row[] = [
  ['spec 4.1: default 1', '/items/lighthouse', ['ferry', 'harbour', 'memo', 'tide', ...COMPONENTS]],
  ['spec 4.1', '/items/lighthouse?depth=1', ['ferry', 'harbour', 'memo', 'tide', ...COMPONENTS]],
  ['spec 4.1: components ignore depth', '/items/lighthouse?depth=0', COMPONENTS],
  [
    'the root itself',
    '/items/lighthouse?depth=2',
    ['ferry', 'harbour', 'lighthouse', 'memo', 'tide', ...COMPONENTS],
  ],
  [
    'cycles end',
    '/items/lighthouse?depth=2147483647',
    ['ferry', 'harbour', 'lighthouse', 'memo', 'tide', ...COMPONENTS],
  ],
  ['spec 4.1', '/items/harbour', ['ferry']],
  ['spec 4.1', '/items/harbour?depth=2', ['ferry', 'lighthouse', ...COMPONENTS]],
  ['spec 4.1', '/items/harbour?depth=3', ['ferry', 'harbour', 'lighthouse', 'memo', 'tide', ...COMPONENTS]],
  ['present', '/items/pier', []],
  [
    'items of the page too',
    '/items?system.type=article',
    ['ferry', 'harbour', 'lighthouse', 'memo', 'tide', ...COMPONENTS],
  ],
  ['spec 4.1', '/items?depth=0', COMPONENTS],
  ['spec 4.1: filters do not apply', '/items?system.codename=ferry', ['lighthouse', ...COMPONENTS]],
  ['spec 4.1', '/items?system.codename=tide', []],
  ['spec 4.1', '/items?limit=1&skip=2', ['ferry']],
];

const PROJECTION: readonly Row[] = [
  ['links of what remains', '/items/lighthouse?elements=title', []],
  ['links of what remains', '/items/lighthouse?elements=title,related', ['ferry']],
  ['links of what remains', '/items/lighthouse?elements=related&depth=3', ['ferry', 'lighthouse']],
  ['links of what remains', '/items/lighthouse?elements=body', ['harbour', COMPONENT]],
  ['links of what remains', '/items/lighthouse?elements=body,target', ['harbour', 'tide', COMPONENT]],
  [
    'links of what remains',
    '/items/lighthouse?elements=body,inner,target',
    ['harbour', 'memo', 'tide', ...COMPONENTS],
  ],
  ['links of what remains', '/items?elements=related', ['ferry', 'lighthouse']],
  ['links of what remains', '/items?elements=body&depth=0', [COMPONENT]],
];

describe('delivery: linked items', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
  });
  after(() => service.stop());

  const get = async (request: string) => (await service.delivery.get<Single & Listing>(request)).body;

  for (const [why, request, expected] of [...DEPTH, ...PROJECTION]) {
    it(`${request} brings ${expected.length === 0 ? 'none' : expected.join(', ')} (${why})`, async () => {
      expect(Object.keys((await get(request)).modular_content).sort()).to.deep.equal([...expected].sort());
    });
  }

  it('sorts the map by codename, so that answers are the same byte for byte', async () => {
    const [first, second] = await Promise.all([
      service.delivery.get('/items/lighthouse?depth=3'),
      service.delivery.get('/items/lighthouse?depth=3'),
    ]);
    expect(first.text).to.equal(second.text);
  });

  it('shows a component as an item of its own type, in the language of the item', async () => {
    const { item, modular_content } = await get('/items/lighthouse?depth=0');
    expect(modular_content[COMPONENT]!.system).to.deep.equal({
      id: COMPONENT_ID,
      name: COMPONENT_ID,
      codename: COMPONENT,
      language: 'en-US',
      type: 'teaser',
      sitemap_locations: [],
      last_modified: item.system.last_modified,
    });
    expect(modular_content[COMPONENT]!.elements['inner']!['modular_content']).to.deep.equal([
      NESTED_COMPONENT,
    ]);
    expect(modular_content[NESTED_COMPONENT]!.system.id).to.equal(NESTED_COMPONENT_ID);
    expect(modular_content[NESTED_COMPONENT]!.elements['heading']!.value).to.equal('Nested');
  });

  describe('projection', () => {
    it('keeps the requested elements, in the order of the type (spec 4.1)', async () => {
      const { item } = await get('/items/lighthouse?elements=price,metadata__meta_title,title');
      expect(Object.keys(item.elements)).to.deep.equal(['title', 'price', 'metadata__meta_title']);
    });

    it('leaves an empty map where none matches, and never leaves out system (spec 4.1)', async () => {
      const { items, modular_content } = await get('/items?elements=unknown');
      expect(items).to.have.length(7);
      for (const item of items) {
        expect(item.elements).to.deep.equal({});
        expect(item.system.codename).to.be.a('string');
      }
      expect(modular_content).to.deep.equal({});
    });

    it('applies to linked items and components too', async () => {
      const { modular_content } = await get('/items/lighthouse?elements=body,title,heading');
      expect(Object.keys(modular_content['harbour']!.elements)).to.deep.equal(['title', 'body']);
      expect(Object.keys(modular_content[COMPONENT]!.elements)).to.deep.equal(['heading']);
    });

    it('does not shorten the list of a rich text', async () => {
      const { item } = await get('/items/lighthouse?elements=body&depth=0');
      expect(item.elements['body']!['modular_content']).to.deep.equal(['harbour', COMPONENT]);
    });

    it('does not affect filters and order', async () => {
      const { items } = await get('/items?elements=title&elements.price=9&order=elements.opened[desc]');
      expect(items.map(({ system }) => system.codename)).to.deep.equal(['anchor', 'ferry']);
    });
  });
});
