import { expect } from 'chai';
import { COMPONENT, PUBLISHED } from '../support/projects/harbour-project.ts';
import {
  codenames,
  type HarbourService,
  type Listing,
  startHarbour,
} from '../support/projects/harbour-service.ts';

describe('delivery: listing of items', () => {
  let service: HarbourService;
  let list: (query: string) => Promise<Listing>;

  before(async () => {
    service = await startHarbour();
    list = async (query) => (await service.delivery.get<Listing>(`/items${query}`)).body;
  });
  after(() => service.stop());

  it('holds the published items by codename, all of them without limit (spec 4.1)', async () => {
    const listing = await list('');
    expect(codenames(listing)).to.deep.equal(PUBLISHED);
    expect(listing.pagination).to.deep.equal({ skip: 0, limit: 0, count: 7, next_page: '' });
  });

  it('writes the keys of pagination in their order', async () => {
    const listing = await list('?limit=2&includeTotalCount');
    expect(Object.keys(listing.pagination)).to.deep.equal([
      'skip',
      'limit',
      'count',
      'total_count',
      'next_page',
    ]);
  });

  it('shows an item as the tables say (spec 2.1, 2.2)', async () => {
    const { items } = await list('?system.codename=lighthouse');
    const { system, elements } = items[0]!;
    expect(Object.keys(items[0]!)).to.deep.equal(['system', 'elements']);
    expect(Object.keys(system)).to.deep.equal([
      'id',
      'name',
      'codename',
      'language',
      'type',
      'sitemap_locations',
      'last_modified',
    ]);
    expect(system).to.include({
      name: 'Lighthouse',
      codename: 'lighthouse',
      language: 'en-US',
      type: 'article',
    });
    expect(system.sitemap_locations).to.deep.equal(['news', 'shop']);
    expect(system.last_modified).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
    expect(Object.keys(elements)).to.deep.equal([
      'title',
      'body',
      'price',
      'opened',
      'url',
      'topics',
      'state',
      'related',
      'photos',
      'rating',
      'metadata__meta_title',
    ]);
    expect(elements['title']).to.deep.equal({ type: 'text', name: 'Title', value: 'Lighthouse' });
    expect(elements['price']).to.deep.equal({ type: 'number', name: 'Price', value: 8.5 });
    expect(elements['opened']).to.deep.equal({
      type: 'date_time',
      name: 'Opened',
      value: '2019-01-01T00:00:00Z',
    });
    expect(elements['url']).to.deep.equal({ type: 'url_slug', name: 'URL', value: 'lighthouse' });
    expect(elements['rating']).to.deep.equal({ type: 'custom', name: 'Rating', value: 'five' });
    expect(elements['metadata__meta_title']).to.deep.equal({
      type: 'text',
      name: 'Meta title',
      value: 'Light',
    });
    expect(elements['topics']).to.deep.equal({
      type: 'taxonomy',
      name: 'Topics',
      taxonomy_group: 'topics',
      value: [
        { name: 'Sailing', codename: 'sailing' },
        { name: 'Coast', codename: 'coast' },
      ],
    });
  });

  it('puts selected options in the order of the type, linked items in their own (spec 2.2)', async () => {
    const { elements } = (await list('?system.codename=lighthouse')).items[0]!;
    expect(elements['state']!.value).to.deep.equal([
      { name: 'New', codename: 'new' },
      { name: 'Used', codename: 'used' },
    ]);
    expect(elements['related']!.value).to.deep.equal(['ferry', 'hidden']);
  });

  it('shows assets with their file, and a URL that works (spec 2.2)', async () => {
    const [photo, map] = (await list('?system.codename=lighthouse')).items[0]!.elements['photos']!.value as {
      url: string;
    }[];
    expect(photo).to.include({
      name: 'light house.jpg',
      type: 'image/jpeg',
      size: 19,
      description: 'The "old" light',
    });
    expect(map).to.include({ name: 'map.png', type: 'image/png', size: 3, description: null });
    const file = await fetch(photo!.url);
    expect(file.status).to.equal(200);
    expect(await file.text()).to.equal('not really an image');
  });

  it('shows rich text with its images, links and linked content (spec 2.2)', async () => {
    const body = (await list('?system.codename=lighthouse')).items[0]!.elements['body']!;
    expect(Object.keys(body)).to.deep.equal(['type', 'name', 'images', 'links', 'modular_content', 'value']);
    const { system: harbour } = (await list('?system.codename=harbour')).items[0]!;
    expect(body['links']).to.deep.equal({
      [harbour.id]: { codename: 'harbour', type: 'article', url_slug: 'harbour' },
    });
    expect(body['modular_content']).to.deep.equal(['harbour', COMPONENT]);
    const [image] = Object.values(body['images'] as Record<string, { image_id: string; url: string }>);
    expect(image).to.include({ description: 'The "old" light' });
    const html = body.value as string;
    expect(html).to.include('<h1>Over R&amp;D &lt;sea&gt;</h1>');
    expect(html).to.include(`<a data-item-id="${harbour.id}" href="">the harbour</a>`);
    expect(html).to.match(/<a data-item-id="[0-9a-f-]{36}" href="">nothing<\/a>/);
    expect(html).to.include(
      `<figure data-asset-id="${image!.image_id}" data-image-id="${image!.image_id}"><img src="${image!.url}" ` +
        `data-asset-id="${image!.image_id}" data-image-id="${image!.image_id}" alt="The &quot;old&quot; light"></figure>`,
    );
    expect(html).to.include(
      '<object type="application/service" data-type="item" data-rel="link" data-codename="harbour"></object>',
    );
    expect(html).to.include(
      `<object type="application/service" data-type="item" data-rel="component" data-codename="${COMPONENT}"></object>`,
    );
  });

  it('shows empty elements in the form of their type (spec 2.2)', async () => {
    const { elements } = (await list('?system.codename=pier')).items[0]!;
    const values = Object.fromEntries(Object.entries(elements).map(([name, { value }]) => [name, value]));
    expect(values).to.deep.equal({
      title: '',
      body: '<p><br></p>',
      price: null,
      opened: null,
      url: '',
      topics: [],
      state: [],
      related: [],
      photos: [],
      rating: null,
      metadata__meta_title: '',
    });
    expect(elements['body']).to.deep.include({ images: {}, links: {}, modular_content: [] });
  });

  describe('pages (spec 2.5)', () => {
    const pages: readonly (readonly [query: string, items: readonly string[], next: string])[] = [
      ['?limit=3', ['anchor', 'ferry', 'harbour'], 'limit=3&skip=3'],
      ['?skip=0&limit=3', ['anchor', 'ferry', 'harbour'], 'skip=3&limit=3'],
      ['?depth=0&limit=3', ['anchor', 'ferry', 'harbour'], 'depth=0&limit=3&skip=3'],
      ['?limit=2&skip=1', ['ferry', 'harbour'], 'limit=2&skip=3'],
      ['?skip=4&limit=3', ['memo', 'pier', 'tide'], ''],
      ['?skip=5', ['pier', 'tide'], ''],
      ['?skip=7&limit=1', [], ''],
      ['?skip=2147483647&limit=2147483647', [], ''],
      ['?limit=7', PUBLISHED, ''],
      [
        '?system.type[in]=article,note&limit=1&order=system.codename[desc]',
        ['tide'],
        'system.type%5bin%5d=article%2cnote&limit=1&order=system.codename%5bdesc%5d&skip=1',
      ],
      ['?limit=1&elements.title[nempty]', ['anchor'], 'limit=1&elements.title%5bnempty%5d&skip=1'],
      ['?limit=1&unknown=1&language=de-AT', ['anchor'], 'limit=1&language=de-AT&skip=1'],
    ];
    for (const [query, expected, next] of pages) {
      it(`answers ${query} with ${expected.length} and ${next === '' ? 'no next page' : `next page ?${next}`}`, async () => {
        const listing = await list(query);
        expect(codenames(listing)).to.deep.equal(expected);
        const address = `${service.delivery.baseUrl}/items`;
        expect(listing.pagination.next_page).to.equal(next === '' ? '' : `${address}?${next}`);
      });
    }

    it('leads from page to page to the end', async () => {
      const found: string[] = [];
      let listing = await list('?limit=2&elements=title&system.type[in]=article,note');
      for (
        found.push(...codenames(listing));
        listing.pagination.next_page !== '';
        found.push(...codenames(listing))
      ) {
        listing = (await service.delivery.get<Listing>(listing.pagination.next_page)).body;
      }
      expect(found).to.deep.equal(PUBLISHED);
    });

    for (const query of [
      'includeTotalCount=true',
      'includeTotalCount=1',
      'includeTotalCount',
      'includeTotalCount=',
    ]) {
      it(`adds the number of all matches for ?${query}`, async () => {
        const listing = await list(`?limit=1&system.type=article&${query}`);
        expect(listing.pagination).to.include({ count: 1, total_count: 6 });
      });
    }

    it('omits the number when it is not requested', async () => {
      expect((await list('?limit=1&includeTotalCount=false')).pagination).not.to.have.property('total_count');
    });
  });

  it('is an empty listing when nothing matches (spec 2.5)', async () => {
    const listing = await list('?system.type=none');
    expect(listing).to.deep.equal({
      items: [],
      modular_content: {},
      pagination: { skip: 0, limit: 0, count: 0, next_page: '' },
    });
  });
});
