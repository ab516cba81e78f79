import { expect } from 'chai';
import { COMPONENT_ID } from '../support/projects/harbour-project.ts';
import {
  type ManageClient,
  type ManageError,
  type ManageService,
  startManage,
} from '../support/projects/manage-service.ts';

interface VariantV1 {
  readonly elements: Readonly<Record<string, unknown>>;
  readonly item: { readonly id: string };
  readonly language: { readonly id: string };
  readonly last_modified: string;
}

const ELEMENTS = [
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
];
const DEFAULT = '00000000-0000-0000-0000-000000000000';

describe('management v1', () => {
  let service: ManageService;
  let v1: ManageClient;
  let count = 0;

  const article = async () => {
    const path = `/items/external-id/article-${++count}`;
    await v1.put(path, { name: `Article ${count}`, type: { codename: 'article' } });
    return `${path}/variants/codename/en-US`;
  };

  before(async () => {
    service = await startManage();
    v1 = service.v1;
  });
  after(() => service.stop());

  for (const prefix of ['/v1', '/v1.0', '']) {
    it(`answers under ${prefix}/projects/{id}`, async () => {
      const base = `${service.service.url}/manage${prefix}/projects/${service.project.id}`;
      const headers = { authorization: `bearer ${service.key}`, 'content-type': 'application/json' };
      const read = await fetch(`${base}/items/codename/memo`, { headers });
      expect([read.status, await read.json()]).to.deep.equal([
        200,
        (await v1.get('/items/codename/memo')).body,
      ]);
      const made = await fetch(`${base}//items`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name: 'x', type: { codename: 'note' } }),
      });
      expect(made.status).to.equal(201);
      const location = made.headers.get('location')!;
      expect(location.startsWith(`${base}/items/`)).to.equal(true);
      expect((await fetch(location, { headers })).status).to.equal(200);
    });
  }

  it('has items without newer properties, in the order clients expect', async () => {
    const { status, body } = await v1.put('/items/external-id/shape', {
      name: 'Shape',
      type: { codename: 'note' },
      sitemap_locations: [],
    });
    expect(status).to.equal(201);
    expect(Object.keys(body)).to.deep.equal([
      'id',
      'name',
      'codename',
      'type',
      'sitemap_locations',
      'external_id',
      'last_modified',
    ]);
    expect(body).to.deep.include({ codename: 'shape', sitemap_locations: [], external_id: 'shape' });
  });

  it('makes and changes items with sitemap_locations left out (spec 4.4)', async () => {
    const path = '/items/external-id/optional';
    expect((await v1.put(path, { name: 'One', type: { codename: 'note' } })).status).to.equal(201);
    const placed = await v1.put<{ sitemap_locations: unknown[] }>(path, {
      name: 'One',
      sitemap_locations: [{ codename: 'home' }],
    });
    const renamed = await v1.put<{ sitemap_locations: unknown[]; codename: string }>(path, { name: 'Two' });
    expect([renamed.status, renamed.body.codename]).to.deep.equal([200, 'two']);
    expect(renamed.body.sitemap_locations).to.deep.equal(placed.body.sitemap_locations);
  });

  it('ignores what cannot be changed, the codename too', async () => {
    const { body } = await v1.post<{ id: string; name: string }>('/items', {
      name: 'Whole model',
      type: { codename: 'note' },
    });
    const { body: changed } = await v1.put<Record<string, unknown>>(`/items/${body.id}`, {
      ...body,
      name: 'Changed',
      codename: 'mine',
      type: { codename: 'article' },
      external_id: 'mine',
    });
    expect(changed).to.deep.equal({
      ...body,
      name: 'Changed',
      codename: 'changed',
      last_modified: changed['last_modified'],
    });
  });

  it('has all elements of the type by codename, empty ones in their form (spec 2.10)', async () => {
    const path = await article();
    const { status, headers, body } = await v1.put<VariantV1>(path, { elements: {} });
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(`${v1.baseUrl}/items/${body.item.id}/variants/${DEFAULT}`);
    expect(Object.keys(body)).to.deep.equal(['elements', 'item', 'language', 'last_modified']);
    expect(Object.keys(body.elements)).to.deep.equal(ELEMENTS);
    expect(Object.values(body.elements)).to.deep.equal([
      '',
      '<p><br/></p>',
      null,
      null,
      '',
      [],
      [],
      [],
      [],
      null,
      '',
    ]);
  });

  it('changes the elements that are sent and no other (spec 2.10)', async () => {
    const path = await article();
    await v1.put(path, { elements: { title: 'Kept', price: 8.5, state: [{ codename: 'new' }] } });
    const { status, body } = await v1.put<VariantV1>(path, {
      elements: { opened: '2017-07-04T00:00:00', state: [], metadata__meta_title: 'Meta' },
      item: { id: DEFAULT },
      language: { codename: 'de-DE' },
      last_modified: '2001-01-01T00:00:00Z',
    });
    expect(status).to.equal(200);
    expect(body.elements).to.deep.include({
      title: 'Kept',
      price: 8.5,
      opened: '2017-07-04T00:00:00Z',
      state: [],
      metadata__meta_title: 'Meta',
    });
    expect(body.language.id).to.equal(DEFAULT);
  });

  it('trims rich text, and knows items and assets that are yet to come (spec 4.4)', async () => {
    const path = await article();
    const { body } = await v1.put<VariantV1>(path, {
      elements: {
        body: '\r\n<h1>Head</h1>\r\n<p>See <a data-item-external-id="soon">it</a></p><figure data-asset-external-id="soon"></figure>\r\n',
        related: [{ external_id: 'soon' }],
        photos: [{ external_id: 'soon' }],
      },
    });
    const [{ id: item }] = body.elements['related'] as [{ id: string }];
    const [{ id: asset }] = body.elements['photos'] as [{ id: string }];
    const html = body.elements['body'] as string;
    expect(html.startsWith('<h1>Head</h1>\n<p>')).to.equal(true);
    expect(html).to.include(`data-item-id="${item}"`).and.to.include(`data-asset-id="${asset}"`);
    const soon = await v1.put('/items/external-id/soon', { name: 'Soon', type: { codename: 'note' } });
    expect(soon.body['id']).to.equal(item);
  });

  it('returns what was written: put back, it changes nothing, components stay', async () => {
    const path = '/items/codename/lighthouse/variants/codename/en-US';
    await service.v2.put(`${path}/new-version`);
    const before = (await service.v2.get(path)).text;
    const read = await v1.get<VariantV1>(path);
    expect(read.body.elements['body']).to.include(COMPONENT_ID);
    const written = await v1.put<VariantV1>(path, read.body);
    expect([written.status, written.text]).to.deep.equal([200, read.text]);
    expect((await service.v2.get(path)).text).to.equal(before);
    // Beside an element that does change, too.
    await v1.put(path, { ...read.body, elements: { ...read.body.elements, title: 'Changed' } });
    const { body } = await service.preview.get<{ modular_content: object }>('/items/lighthouse?depth=0');
    expect(Object.keys(body.modular_content)).to.have.length(2);
  });

  it('keeps a slug that follows its text when it is sent back', async () => {
    const path = await article();
    const elements = [
      { element: { codename: 'title' }, value: 'Old title' },
      { element: { codename: 'url' }, mode: 'autogenerated' },
    ];
    await service.v2.put(path, { elements });
    const { body } = await v1.get<VariantV1>(path);
    expect(body.elements['url']).to.equal('old-title');
    await v1.put(path, body);
    const followed = await v1.put<VariantV1>(path, { elements: { title: 'New title' } });
    expect(followed.body.elements['url']).to.equal('new-title');
  });

  it('lists the variants of an item as a bare array', async () => {
    const { body } = await v1.get<VariantV1[]>('/items/codename/lighthouse/variants');
    expect(body).to.have.length(2);
    expect(body[0]!.elements['title']).to.be.a('string');
  });

  it('shares the store with version 2', async () => {
    const path = await article();
    await v1.put(path, { elements: { title: 'Shared' } });
    const { body } = await service.v2.get<{ elements: { value: unknown }[] }>(path);
    expect(body.elements[0]!.value).to.equal('Shared');
    expect((await v1.delete(path)).status).to.equal(204);
    expect((await service.v2.get(path)).status).to.equal(404);
  });

  describe('what is refused', () => {
    it('each wrong value, with its codename as path', async () => {
      const path = await article();
      const body =
        '{\n"elements": {\n  "title": 5,\n  "price": "x",\n  "nope": 1,\n  "related": [{"codename": "no_such"}]\n}}';
      const answer = await v1.put<ManageError>(path, body);
      expect([answer.status, answer.body.error_code]).to.deep.equal([400, 5]);
      expect(
        answer.body.validation_errors!.map(({ path: at, line, position }) => [at, line, position]),
      ).to.deep.equal([
        ['elements.title', 3, 12],
        ['elements.price', 4, 12],
        ['elements.nope', 5, 11],
        ['elements.related[0]', 6, 15],
      ]);
      expect((await v1.get(path)).status).to.equal(404);
    });

    it('elements that are no object', async () => {
      const path = await article();
      for (const elements of [undefined, null, [], 'x']) {
        const { status, body } = await v1.put<ManageError>(path, { elements });
        expect([status, body.validation_errors![0]!.path]).to.deep.equal([400, 'elements']);
      }
    });

    it('what version 1 does not have: 404', async () => {
      for (const path of ['/types', '/taxonomies', '/types/codename/note/variants', '']) {
        expect((await v1.get(path)).status, path).to.equal(404);
      }
      const { status } = await v1.put('/items/codename/memo/variants/codename/en-US/publish');
      expect(status).to.equal(404);
    });
  });

  it('validates without findings in types', async () => {
    const { status, body } = await v1.post('/validate');
    expect(status).to.equal(200);
    expect(Object.keys(body)).to.deep.equal(['project', 'variant_issues']);
  });
});
