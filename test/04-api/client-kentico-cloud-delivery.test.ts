/**
 * The published client of the service's own time, unmodified, against the running service with the vendor
 * names it knows: header `KC`, media type `kenticocloud`.
 */
import { expect } from 'chai';
import { CloudError } from 'kentico-cloud-core';
import { ContentItem, DeliveryClient, type Elements, SortOrder, TypeResolver } from 'kentico-cloud-delivery';
import { COMPONENT, PUBLISHED } from '../support/projects/harbour-project.ts';
import { type HarbourService, startHarbour } from '../support/projects/harbour-service.ts';

describe('client kentico-cloud-delivery 6.2.0', () => {
  let service: HarbourService;
  let client: DeliveryClient;
  let previewing: DeliveryClient;

  before(async () => {
    service = await startHarbour({
      environment: { HEADWATER_VENDOR_HEADER: 'KC', HEADWATER_VENDOR_MEDIA_TYPE: 'kenticocloud' },
    });
    const proxy = {
      baseUrl: `${service.service.url}/delivery`,
      basePreviewUrl: `${service.service.url}/preview`,
    };
    const projectId = service.project.id;
    client = new DeliveryClient({ projectId, proxy, retryAttempts: 0 });
    previewing = new DeliveryClient({
      projectId,
      proxy,
      retryAttempts: 0,
      previewApiKey: service.project.previewKey,
      globalQueryConfig: { usePreviewMode: true },
    });
  });
  after(() => service.stop());

  const codenames = (items: readonly ContentItem[]) => items.map(({ system }) => system.codename);

  it('lists items', async () => {
    const { items, pagination, isEmpty } = await client.items().toPromise();
    expect(isEmpty).to.equal(false);
    expect(codenames(items)).to.deep.equal(PUBLISHED);
    expect(pagination).to.include({ skip: 0, limit: 0, count: 7, nextPage: '' });
    expect(items[0]!.system.lastModified.getFullYear()).to.be.greaterThan(2000);
  });

  it('reads an item with every kind of element', async () => {
    const { item } = await client.item('lighthouse').toPromise();
    expect(item.system).to.include({
      name: 'Lighthouse',
      codename: 'lighthouse',
      type: 'article',
      language: 'en-US',
    });
    expect(item.system.sitemapLocations).to.deep.equal(['news', 'shop']);
    expect(item['title'].value).to.equal('Lighthouse');
    expect(item['price'].value).to.equal(8.5);
    expect((item['opened'].value as Date).toISOString()).to.equal('2019-01-01T00:00:00.000Z');
    expect(item['url'].value).to.equal('lighthouse');
    expect(item['rating'].value).to.equal('five');
    expect(item['metadata__meta_title'].value).to.equal('Light');
    expect(item['topics'].taxonomyGroup).to.equal('topics');
    expect(item['topics'].value).to.deep.equal([
      { name: 'Sailing', codename: 'sailing' },
      { name: 'Coast', codename: 'coast' },
    ]);
    expect((item['state'].value as { codename: string }[]).map(({ codename }) => codename)).to.deep.equal([
      'new',
      'used',
    ]);
    const [photo] = item['photos'].value as {
      name: string;
      url: string;
      size: number;
      description: string;
    }[];
    expect(photo).to.include({ name: 'light house.jpg', size: 19, description: 'The "old" light' });
    expect((await fetch(photo!.url)).status).to.equal(200);
  });

  it('reads an item whose elements are all empty', async () => {
    const { item } = await client.item('pier').toPromise();
    expect(item['title'].value).to.equal('');
    expect(item['price'].value).to.equal(null);
    expect(item['opened'].value).to.equal(null);
    expect(item['related'].value).to.deep.equal([]);
    expect(item['body'].resolveHtml()).to.equal('<p><br></p>');
  });

  describe('filters', () => {
    const cases: readonly (readonly [
      title: string,
      ask: () => Promise<{ items: ContentItem[] }>,
      items: string[],
    ])[] = [
      ['type', () => client.items().type('note').toPromise(), ['memo']],
      ['types', () => client.items().types(['note', 'none']).toPromise(), ['memo']],
      ['equals', () => client.items().equalsFilter('elements.title', 'Ferry').toPromise(), ['ferry']],
      [
        'all',
        () => client.items().allFilter('elements.topics', ['coast', 'sailing']).toPromise(),
        ['lighthouse'],
      ],
      [
        'any',
        () => client.items().anyFilter('elements.topics', ['boats', 'electric']).toPromise(),
        ['ferry', 'harbour'],
      ],
      ['contains', () => client.items().containsFilter('elements.state', ['sold']).toPromise(), ['tide']],
      [
        'greater than',
        () => client.items().greaterThanFilter('elements.price', '9').toPromise(),
        ['harbour'],
      ],
      [
        'greater than or equal',
        () => client.items().greaterThanOrEqualFilter('elements.price', '9').toPromise(),
        ['anchor', 'ferry', 'harbour'],
      ],
      ['less than', () => client.items().lessThanFilter('elements.price', '0').toPromise(), ['tide']],
      [
        'less than or equal',
        () => client.items().lessThanOrEqualFilter('elements.price', '8.5').toPromise(),
        ['lighthouse', 'tide'],
      ],
      [
        'in',
        () => client.items().inFilter('system.codename', ['ferry', 'pier']).toPromise(),
        ['ferry', 'pier'],
      ],
      [
        'range',
        () => client.items().rangeFilter('elements.price', 8, 9).toPromise(),
        ['anchor', 'ferry', 'lighthouse'],
      ],
    ];
    for (const [title, ask, expected] of cases) {
      it(title, async () => {
        expect(codenames((await ask()).items)).to.deep.equal(expected);
      });
    }
  });

  it('orders, cuts pages and follows them', async () => {
    const query = () =>
      client.items().type('article').orderParameter('elements.price', SortOrder.desc).limitParameter(2);
    const first = await query().toPromise();
    expect(codenames(first.items)).to.deep.equal(['harbour', 'anchor']);
    expect(first.pagination).to.include({ limit: 2, count: 2 });
    const second = await client.items().withUrl(first.pagination.nextPage).toPromise();
    expect(codenames(second.items)).to.deep.equal(['ferry', 'lighthouse']);
    const last = await query().skipParameter(4).toPromise();
    expect(codenames(last.items)).to.deep.equal(['tide', 'pier']);
    expect(last.pagination.nextPage).to.equal('');
  });

  it('links items with each other, also in circles', async () => {
    const { item, linkedItems } = await client.item('lighthouse').depthParameter(3).toPromise();
    expect(Object.keys(linkedItems)).to.include.members(['ferry', 'harbour', 'tide', 'memo']);
    const related = item['related'] as Elements.LinkedItemsElement;
    expect(related.itemCodenames).to.deep.equal(['ferry', 'hidden']);
    expect(codenames(related.value as ContentItem[])).to.deep.equal(['ferry']);
    const ferry = related.value[0]!;
    expect(ferry['related'].value[0].system.codename).to.equal('lighthouse');
  });

  it('projects elements', async () => {
    const { item } = await client.item('lighthouse').elementsParameter(['title', 'price']).toPromise();
    expect(Object.keys(item._raw.elements)).to.deep.equal(['title', 'price']);
  });

  it('reads other languages with their fallbacks', async () => {
    const { item } = await client.item('lighthouse').languageParameter('de-AT').toPromise();
    expect([item.system.language, item['title'].value]).to.deep.equal(['de-DE', 'Leuchtturm']);
  });

  it('resolves rich text: items, components in components, links', async () => {
    const { item } = await client
      .item('lighthouse')
      .queryConfig({
        richTextResolver: (inner) =>
          inner['inner']
            ? `[${inner['heading'].value}: ${inner['inner'].resolveHtml()}]`
            : `[${inner.system.codename}]`,
        urlSlugResolver: (link) => ({ url: `/${link.type}/${link.urlSlug}` }),
      })
      .toPromise();
    const body = item['body'] as Elements.RichTextElement;
    const html = body.resolveHtml();
    expect(html).to.include('[harbour]');
    expect(html).to.match(/\[A teaser: .*\[Nested: /s);
    expect(html).to.include('href="/article/harbour"');
    expect(html).to.include('alt="The &quot;old&quot; light"');
    const { linkedItemCodenames, componentCodenames } = body.resolveData();
    expect(linkedItemCodenames).to.deep.equal(['harbour']);
    expect(componentCodenames).to.include(COMPONENT);
    expect(body.linkedItemCodenames).to.deep.equal(['harbour', COMPONENT]);
    expect(body.images[0]).to.include({ description: 'The "old" light' });
    expect(body.links[0]).to.include({ codename: 'harbour', type: 'article', urlSlug: 'harbour' });
  });

  it('makes typed items', async () => {
    class Note extends ContentItem {}
    const typed = new DeliveryClient({
      projectId: service.project.id,
      proxy: { baseUrl: `${service.service.url}/delivery` },
      typeResolvers: [new TypeResolver('note', () => new Note())],
    });
    const { items } = await typed.items().type('note').toPromise();
    expect(items[0]).to.be.instanceOf(Note);
  });

  it('reads types, elements and taxonomies', async () => {
    const { types } = await client.types().toPromise();
    expect(types.map(({ system }) => system.codename)).to.deep.equal(['article', 'note', 'teaser']);
    const { type } = await client.type('article').toPromise();
    expect(type.elements).to.have.length(11);
    const { element } = await client.element('article', 'state').toPromise();
    expect(element).to.include({ codename: 'state', name: 'State', type: 'multiple_choice' });
    expect((element as unknown as { options: unknown[] }).options).to.have.length(3);
    const { taxonomy } = await client.taxonomy('topics').toPromise();
    expect(taxonomy.terms[0]!.terms.map(({ codename }) => codename)).to.deep.equal(['sailing', 'electric']);
    const { taxonomies } = await client.taxonomies().limitParameter(1).toPromise();
    expect(taxonomies).to.have.length(1);
  });

  it('maps errors to its own', async () => {
    const missing = await failure(client.item('unknown').toPromise());
    expect(missing).to.be.instanceOf(CloudError);
    expect(missing).to.include({ errorCode: 100, specificCode: 0 });
    expect(missing.message).to.be.a('string').and.not.equal('');
    expect(missing.requestId).to.be.a('string').and.not.equal('');
    expect(await failure(client.type('unknown').toPromise())).to.include({ errorCode: 101 });
    expect(await failure(client.element('article', 'unknown').toPromise())).to.include({ errorCode: 102 });
    expect(await failure(client.taxonomy('unknown').toPromise())).to.include({ errorCode: 104 });
    expect(await failure(client.items().withParameter('limit', '-1').toPromise())).to.include({
      errorCode: 1005,
    });
  });

  it('previews with its key, and asks to wait for new content', async () => {
    const { items } = await previewing.items().toPromise();
    expect(codenames(items)).to.deep.equal([...PUBLISHED, 'hidden'].sort());
    const { item } = await previewing
      .item('anchor')
      .queryConfig({ usePreviewMode: true, waitForLoadingNewContent: true })
      .toPromise();
    expect(item['title'].value).to.equal('Anchor, new');
    const unauthorized = new DeliveryClient({
      projectId: service.project.id,
      proxy: { basePreviewUrl: `${service.service.url}/preview` },
      retryAttempts: 0,
      previewApiKey: 'not-a-key-of-anybody',
      globalQueryConfig: { usePreviewMode: true },
    });
    expect(await failure(unauthorized.items().toPromise())).to.include({ errorCode: 3 });
  });
});

async function failure(asked: Promise<unknown>): Promise<CloudError> {
  return asked.then(
    () => {
      throw new Error('The call should have failed.');
    },
    (error: CloudError) => error,
  );
}
