import { expect } from 'chai';
import { type HarbourService, type Pagination, startHarbour } from '../support/projects/harbour-service.ts';

interface Model {
  readonly system: {
    readonly id: string;
    readonly name: string;
    readonly codename: string;
    readonly last_modified: string;
  };
  readonly elements: Readonly<Record<string, object>>;
}

interface Models {
  readonly types: readonly Model[];
  readonly taxonomies: readonly Model[];
  readonly pagination: Pagination;
}

const OPTIONS = [
  { name: 'New', codename: 'new' },
  { name: 'Used', codename: 'used' },
  { name: 'Sold', codename: 'sold' },
];

describe('delivery: types, elements, taxonomies', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
  });
  after(() => service.stop());

  const get = async <T>(path: string) => (await service.delivery.get<T>(path)).body;

  it('lists the types by codename (spec 2.5, 4.1)', async () => {
    const { types, pagination } = await get<Models>('/types');
    expect(types.map(({ system }) => system.codename)).to.deep.equal(['article', 'note', 'teaser']);
    expect(pagination).to.deep.equal({ skip: 0, limit: 0, count: 3, next_page: '' });
  });

  it('shows a type with its elements in order, snippets expanded, guidelines left out (spec 2.3)', async () => {
    const { system, elements } = await get<Model>('/types/article');
    expect(Object.keys(system)).to.deep.equal(['id', 'name', 'codename', 'last_modified']);
    expect(system).to.include({ name: 'Article', codename: 'article' });
    expect(Object.entries(elements)).to.deep.equal([
      ['title', { type: 'text', name: 'Title' }],
      ['body', { type: 'rich_text', name: 'Body' }],
      ['price', { type: 'number', name: 'Price' }],
      ['opened', { type: 'date_time', name: 'Opened' }],
      ['url', { type: 'url_slug', name: 'URL' }],
      ['topics', { type: 'taxonomy', name: 'Topics', taxonomy_group: 'topics' }],
      ['state', { type: 'multiple_choice', name: 'State', options: OPTIONS }],
      ['related', { type: 'modular_content', name: 'Related' }],
      ['photos', { type: 'asset', name: 'Photos' }],
      ['rating', { type: 'custom', name: 'Rating' }],
      ['metadata__meta_title', { type: 'text', name: 'Meta title' }],
    ]);
  });

  const ELEMENTS: readonly (readonly [codename: string, element: object])[] = [
    ['title', { type: 'text', name: 'Title', codename: 'title' }],
    ['topics', { type: 'taxonomy', name: 'Topics', taxonomy_group: 'topics', codename: 'topics' }],
    ['state', { type: 'multiple_choice', name: 'State', options: OPTIONS, codename: 'state' }],
    ['metadata__meta_title', { type: 'text', name: 'Meta title', codename: 'metadata__meta_title' }],
  ];
  for (const [codename, element] of ELEMENTS) {
    it(`shows the element ${codename} with its codename (spec 2.3)`, async () => {
      expect(await get(`/types/article/elements/${codename}`)).to.deep.equal(element);
    });
  }

  it('projects types too', async () => {
    const { types } = await get<Models>('/types?elements=title,heading');
    expect(types.map(({ elements }) => Object.keys(elements))).to.deep.equal([
      ['title'],
      ['title'],
      ['heading'],
    ]);
    expect(Object.keys((await get<Model>('/types/article?elements=price,title')).elements)).to.deep.equal([
      'title',
      'price',
    ]);
    expect((await get<Model>('/types/article?elements=unknown')).elements).to.deep.equal({});
  });

  it('lists the taxonomy groups by codename (spec 4.1)', async () => {
    const { taxonomies, pagination } = await get<Models>('/taxonomies');
    expect(taxonomies.map(({ system }) => system.codename)).to.deep.equal(['audience', 'topics']);
    expect(pagination.count).to.equal(2);
  });

  it('shows a taxonomy group with its tree of terms (spec 2.4)', async () => {
    const { system, ...rest } = await get<Model>('/taxonomies/topics');
    expect(Object.keys(system)).to.deep.equal(['id', 'name', 'codename', 'last_modified']);
    expect(rest).to.deep.equal({
      terms: [
        {
          name: 'Boats',
          codename: 'boats',
          terms: [
            { name: 'Sailing', codename: 'sailing', terms: [] },
            { name: 'Electric', codename: 'electric', terms: [] },
          ],
        },
        { name: 'Coast', codename: 'coast', terms: [] },
      ],
    });
  });

  const PAGES: readonly (readonly [request: string, codenames: readonly string[], next: string])[] = [
    ['/types?limit=2', ['article', 'note'], 'limit=2&skip=2'],
    ['/types?limit=2&skip=2', ['teaser'], ''],
    ['/types?skip=1', ['note', 'teaser'], ''],
    ['/types?skip=9', [], ''],
    ['/taxonomies?limit=1', ['audience'], 'limit=1&skip=1'],
    ['/taxonomies?skip=1&limit=1', ['topics'], ''],
  ];
  for (const [request, expected, next] of PAGES) {
    it(`pages ${request} as items are paged`, async () => {
      const body = await get<Partial<Models> & Pick<Models, 'pagination'>>(request);
      const found = body.types ?? body.taxonomies ?? [];
      expect(found.map(({ system }) => system.codename)).to.deep.equal(expected);
      const address = `${service.delivery.baseUrl}${request.split('?')[0]}`;
      expect(body.pagination.next_page).to.equal(next === '' ? '' : `${address}?${next}`);
      if (next !== '') expect((await service.delivery.get(body.pagination.next_page)).status).to.equal(200);
    });
  }

  it('shows the same model on preview', async () => {
    for (const path of [
      '/types',
      '/types/article',
      '/types/article/elements/state',
      '/taxonomies',
      '/taxonomies/topics',
    ]) {
      const [delivered, previewed] = [
        await get<Models>(path),
        (await service.preview.get<Models>(path)).body,
      ];
      expect(previewed, path).to.deep.equal(delivered);
    }
  });
});
