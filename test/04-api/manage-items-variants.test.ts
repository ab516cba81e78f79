import { expect } from 'chai';
import { COMPONENT_ID, NESTED_COMPONENT_ID } from '../support/projects/harbour-project.ts';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';

interface ElementJson {
  readonly element: { readonly id: string };
  readonly value: unknown;
  readonly mode?: string;
  readonly components?: readonly { readonly id: string; readonly elements: readonly ElementJson[] }[];
}
interface VariantJson {
  readonly elements: readonly ElementJson[];
  readonly workflow_step: { readonly id: string };
  readonly workflow: unknown;
  readonly item: { readonly id: string };
  readonly language: { readonly id: string };
  readonly last_modified: string;
}

const DEFAULT = '00000000-0000-0000-0000-000000000000';
const KINDS = [
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
] as const;
type Kind = (typeof KINDS)[number];

describe('management v2: language variants', () => {
  let service: ManageService;
  let count = 0;

  const variant = (item: string) => `/items/codename/${item}/variants/codename/en-US`;
  const get = async (item: string) => (await service.v2.get<VariantJson>(variant(item))).body;
  const put = (item: string, elements: Partial<Record<Kind, unknown>>, more: Record<string, object> = {}) =>
    service.v2.put<VariantJson & ManageError>(variant(item), {
      elements: Object.entries(elements).map(([codename, value]) => ({
        element: { codename },
        value,
        ...more[codename],
      })),
    });
  const shown = (body: VariantJson, kind: Kind) => body.elements[KINDS.indexOf(kind)]!.value;

  async function article(): Promise<string> {
    const name = `article_${++count}`;
    await service.v2.post('/items', { name, codename: name, type: { codename: 'article' } });
    return name;
  }

  before(async () => {
    service = await startManage();
  });
  after(() => service.stop());

  it('has every element of the type in its order, snippets in place, guidelines left out', async () => {
    const body = await get('lighthouse');
    expect(Object.keys(body)).to.deep.equal([
      'elements',
      'workflow_step',
      'workflow',
      'schedule',
      'item',
      'language',
      'last_modified',
    ]);
    expect(body.workflow).to.deep.equal({
      workflow_identifier: { id: DEFAULT },
      step_identifier: body.workflow_step,
    });
    expect(body.elements).to.have.length(KINDS.length);
    expect(body.language.id).to.equal(DEFAULT);
    const shapes = body.elements.map((element) => Object.keys(element).slice(1).join());
    expect(shapes).to.deep.equal(
      KINDS.map((kind) => (kind === 'body' ? 'value,components' : kind === 'url' ? 'value,mode' : 'value')),
    );
    const [component] = body.elements[1]!.components!;
    expect(component!.id).to.equal(COMPONENT_ID);
    expect(component!.elements[2]!.components![0]!.id).to.equal(NESTED_COMPONENT_ID);
  });

  it('shows what is empty as the specification says (spec 2.8)', async () => {
    const item = await article();
    const made = await put(item, {});
    const empty = [null, '<p><br/></p>', null, null, '', [], [], [], [], null, null];
    expect(made.status).to.equal(201);
    expect(made.body.elements.map(({ value }) => value)).to.deep.equal(empty);
    const nulls = await put(item, Object.fromEntries(KINDS.map((kind) => [kind, null])));
    expect(nulls.body.elements.map(({ value }) => value)).to.deep.equal(empty);
    const texts = await put(item, { title: '', rating: '', body: '' });
    expect(texts.body.elements.map(({ value }) => value)).to.deep.equal(empty);
    expect(texts.body.last_modified).to.equal(made.body.last_modified);
  });

  it('is made with 201 and its address by ids, changed with 200', async () => {
    const item = await article();
    const made = await put(item, { title: 'One' });
    expect([made.status, made.headers.get('location')]).to.deep.equal([
      201,
      `${service.v2.baseUrl}/items/${made.body.item.id}/variants/${DEFAULT}`,
    ]);
    expect((await service.v2.get(made.headers.get('location')!)).body).to.deep.equal(made.body);
    const changed = await put(item, { title: 'Two' });
    expect([changed.status, changed.headers.get('location')]).to.deep.equal([200, null]);
  });

  it('keeps elements that are not sent, clears those sent as null', async () => {
    const item = await article();
    await put(item, { title: 'Kept', price: 3 });
    const { body } = await put(item, { price: null, rating: 'r' });
    expect(['title', 'price', 'rating'].map((kind) => shown(body, kind as Kind))).to.deep.equal([
      'Kept',
      null,
      'r',
    ]);
  });

  it('takes values in the forms of the specification (spec 2.8)', async () => {
    const item = await article();
    const ids = await get('lighthouse');
    const photo = (shown(ids, 'photos') as { id: string }[])[0]!;
    const { body } = await put(item, {
      title: 'x'.repeat(100_000),
      price: '8.50',
      opened: '2017-07-04T00:00:00',
      url: 'an-address',
      topics: [{ codename: 'coast' }, { codename: 'boats' }],
      state: [{ codename: 'sold' }, { codename: 'new' }],
      related: [{ codename: 'ferry' }, { external_id: 'not-yet' }],
      photos: [{ id: photo.id }, { external_id: 'no-image-yet' }],
    });
    expect(shown(body, 'price')).to.equal(8.5);
    expect(shown(body, 'opened')).to.equal('2017-07-04T00:00:00Z');
    for (const kind of ['topics', 'state', 'related', 'photos'] as const) {
      for (const reference of shown(body, kind) as object[]) {
        expect(Object.keys(reference)).to.deep.equal(['id']);
      }
      expect(shown(body, kind)).to.have.length(2);
    }
    // A reference to what is not there yet is its future id.
    const future = (shown(body, 'related') as { id: string }[])[1]!.id;
    const made = await service.v2.put('/items/external-id/not-yet', {
      name: 'Now',
      type: { codename: 'note' },
    });
    expect([made.status, made.body['id']]).to.deep.equal([201, future]);
  });

  describe('a body from GET put back is accepted and changes nothing (spec 2.7)', () => {
    it('for every kind of element', async () => {
      await service.v2.put(`${variant('lighthouse')}/new-version`);
      const read = await service.v2.get<VariantJson>(variant('lighthouse'));
      const written = await service.v2.put<VariantJson>(variant('lighthouse'), read.body);
      expect([written.status, written.text]).to.deep.equal([200, read.text]);
    });

    it('for what was never written', async () => {
      const item = await article();
      await put(item, {});
      const read = await service.v2.get<VariantJson>(variant(item));
      const written = await service.v2.put<VariantJson>(variant(item), read.body);
      expect([written.status, written.text]).to.deep.equal([200, read.text]);
    });

    it('for references to what is yet to come', async () => {
      const item = await article();
      await put(item, {
        related: [{ external_id: 'later' }],
        photos: [{ external_id: 'later' }],
        topics: [{ external_id: 'later' }, { codename: 'coast' }],
        body: '<p><a data-item-external-id="later">l</a></p><figure data-asset-external-id="later"></figure>',
      });
      const read = await service.v2.get<VariantJson>(variant(item));
      const written = await service.v2.put<VariantJson>(variant(item), read.body);
      expect([written.status, written.text]).to.deep.equal([200, read.text]);
      for (const kind of ['related', 'photos'] as const) expect(shown(read.body, kind)).to.have.length(1);
      expect(shown(read.body, 'topics')).to.have.length(2);
    });

    it('for a slug that follows its text', async () => {
      const item = await article();
      await service.v2.put(variant(item), {
        elements: [
          { element: { codename: 'title' }, value: 'Über Röstung' },
          { element: { codename: 'url' }, mode: 'autogenerated' },
        ],
      });
      const read = await service.v2.get<VariantJson>(variant(item));
      expect(read.body.elements[4]).to.deep.include({ value: 'uber-rostung', mode: 'autogenerated' });
      const written = await service.v2.put<VariantJson>(variant(item), read.body);
      expect(written.text).to.equal(read.text);
    });

    it('also of a language that has only some of it', async () => {
      const path = '/items/codename/ferry/variants/codename/de-AT';
      await service.v2.put(`${path}/new-version`);
      const read = await service.v2.get(path);
      expect((await service.v2.put(path, read.body)).text).to.equal(read.text);
    });
  });

  describe('a slug that was never set', () => {
    const slugIn = async (path: string) => {
      const { value, mode } = (await service.v2.get<VariantJson>(path)).body.elements[4] as {
        value?: unknown;
        mode?: string;
      };
      return { value, mode };
    };
    const following = (value: string) => ({ value, mode: 'autogenerated' });

    it('follows its text from the first write on, in each language by itself', async () => {
      const item = await article();
      const german = `/items/codename/${item}/variants/codename/de-DE`;
      await put(item, { price: 1 });
      expect(await slugIn(variant(item))).to.deep.equal(following(''));
      await put(item, { title: 'Late Title' });
      expect(await slugIn(variant(item))).to.deep.equal(following('late-title'));
      const write = (elements: unknown[]) => service.v2.put(german, { elements });
      await write([{ element: { codename: 'title' }, value: 'Später' }]);
      expect(await slugIn(german)).to.deep.equal(following('spater'));
      await write([{ element: { codename: 'url' }, value: 'eigen' }]);
      await write([{ element: { codename: 'title' }, value: 'Noch später' }]);
      expect(await slugIn(german)).to.deep.equal({ value: 'eigen', mode: 'custom' });
      await put(item, { title: null });
      expect(await slugIn(variant(item))).to.deep.equal(following(''));
      await put(item, { title: 'Again' });
      expect(await slugIn(variant(item))).to.deep.equal(following('again'));
      await service.v2.put(`${variant(item)}/publish`);
      const shownTo = await service.delivery.get<{ item: { elements: { url: { value: string } } } }>(
        `/items/${item}`,
      );
      expect(shownTo.body.item.elements.url.value).to.equal('again');
    });

    it('is not set by an empty value, in version 1 the only way to leave it out, but by its mode', async () => {
      const item = await article();
      const first = await service.v1.put<{ elements: Record<string, unknown> }>(variant(item), {
        elements: { title: 'Typed Model', url: null },
      });
      expect(first.body.elements['url']).to.equal('typed-model');
      await service.v1.put(variant(item), { elements: { title: 'Other', url: '' } });
      expect(await slugIn(variant(item))).to.deep.equal(following('other'));
      await service.v2.put(variant(item), {
        elements: [{ element: { codename: 'url' }, value: '', mode: 'custom' }],
      });
      await put(item, { title: 'Third' });
      expect(await slugIn(variant(item))).to.deep.equal({ value: '', mode: 'custom' });
    });

    it('follows inside a component, and a text of a snippet', async () => {
      await service.v2.post('/snippets', { name: 'Heads', elements: [{ type: 'text', name: 'Head' }] });
      const made = await service.v2.post('/types', {
        name: 'Linked page',
        elements: [
          { type: 'snippet', snippet: { codename: 'heads' } },
          {
            type: 'url_slug',
            name: 'Address',
            depends_on: { element: { codename: 'head' }, snippet: { codename: 'heads' } },
          },
        ],
      });
      expect(made.status, made.text).to.equal(201);
      const item = await article();
      const { body } = await service.v2.put<VariantJson>(variant(item), {
        elements: [
          {
            element: { codename: 'body' },
            value: `<object type="application/service" data-type="component" data-id="${COMPONENT_ID}"></object>`,
            components: [
              {
                id: COMPONENT_ID,
                type: { codename: 'linked_page' },
                elements: [{ element: { codename: 'heads__head' }, value: 'Inner Page' }],
              },
            ],
          },
        ],
      });
      expect(body.elements[1]!.components?.[0]?.elements[1]).to.deep.include(following('inner-page'));
    });

    it('of a type that got it after the text was published, keeps what is put back unchanged', async () => {
      await service.v2.post('/types', { name: 'Bare page', elements: [{ type: 'text', name: 'Head' }] });
      await service.v2.post('/items', { name: 'bare', codename: 'bare', type: { codename: 'bare_page' } });
      await service.v2.put(variant('bare'), { elements: [{ element: { codename: 'head' }, value: 'Old' }] });
      await service.v2.put(`${variant('bare')}/publish`);
      await service.v2.patch('/types/codename/bare_page', [
        {
          op: 'addInto',
          path: '/elements',
          value: { type: 'url_slug', name: 'Address', depends_on: { element: { codename: 'head' } } },
        },
      ]);
      const read = await service.v2.get<VariantJson>(variant('bare'));
      expect(read.body.elements[1]).to.deep.include(following(''));
      const back = await service.v2.put(variant('bare'), read.body);
      expect([back.status, back.text]).to.deep.equal([200, read.text]);
      await service.v2.put(`${variant('bare')}/new-version`);
      const next = await service.v2.put<VariantJson>(variant('bare'), read.body);
      expect(next.body.elements[1]).to.deep.include(following('old'));
    });
  });

  it('makes a slug custom by a value, and lets it follow again', async () => {
    const item = await article();
    await put(item, { title: 'First' }, {});
    const own = await put(item, { url: 'own' });
    expect(own.body.elements[4]).to.deep.include({ value: 'own', mode: 'custom' });
    const path = variant(item);
    const follow = { elements: [{ element: { codename: 'url' }, mode: 'autogenerated' }] };
    expect((await service.v2.put<VariantJson>(path, follow)).body.elements[4]!.value).to.equal('first');
    expect((await put(item, { title: 'Second' })).body.elements[4]!.value).to.equal('second');
    const both = await put(item, { title: 'Third', url: 'second' });
    expect(both.body.elements[4]).to.deep.include({ value: 'second', mode: 'custom' });
  });

  describe('identifier forms (spec 4.3)', () => {
    it('mix freely', async () => {
      await service.v2.put('/items/external-id/mixed', { name: 'Mixed', type: { codename: 'article' } });
      const { body } = await service.v2.get<{ id: string }>('/items/external-id/mixed');
      const items = [`/items/${body.id}`, '/items/codename/mixed', '/items/external-id/mixed'];
      const languages = [DEFAULT, 'codename/en-US'];
      let price = 0;
      for (const item of items) {
        for (const language of languages) {
          const path = `${item}/variants/${language}`;
          price += 1;
          const elements = [{ element: { codename: 'price' }, value: price }];
          const written = await service.v2.put<VariantJson>(path, { elements });
          expect(shown(written.body, 'price'), path).to.equal(price);
          expect((await service.v2.get(path)).body).to.deep.equal(written.body);
        }
      }
      expect((await service.v2.delete(`${items[2]}/variants/codename/en-US`)).status).to.equal(204);
      // The item goes with its last variant.
      expect((await service.v2.get(items[1]!)).status).to.equal(404);
    });
  });

  it('of an item are a bare array in the order of the languages', async () => {
    const { body, headers } = await service.v2.get<VariantJson[]>('/items/codename/lighthouse/variants');
    expect(body.map(({ language }) => language.id === DEFAULT)).to.deep.equal([true, false]);
    expect(headers.get('x-continuation')).to.equal(null);
    const item = await article();
    expect((await service.v2.get(`/items/codename/${item}/variants`)).body).to.deep.equal([]);
  });

  describe('what is refused', () => {
    const WRONG: readonly (readonly [title: string, elements: unknown, paths: readonly string[]])[] = [
      ['elements that are no array', {}, ['elements']],
      ['an element of no form', [{ value: 'x' }], ['elements[0].element']],
      ['an unknown element', [{ element: { codename: 'nope' }, value: 1 }], ['elements[0].element']],
      [
        'an element twice',
        [
          { element: { codename: 'title' }, value: 'a' },
          { element: { codename: 'title' }, value: 'b' },
        ],
        ['elements[1]'],
      ],
      [
        'a text that is too long',
        [{ element: { codename: 'title' }, value: 'x'.repeat(100_001) }],
        ['elements[0].value'],
      ],
      ['a text that is a number', [{ element: { codename: 'title' }, value: 5 }], ['elements[0].value']],
      ['a number that is none', [{ element: { codename: 'price' }, value: 'eight' }], ['elements[0].value']],
      ['a number of 11 digits', [{ element: { codename: 'price' }, value: 1e10 }], ['elements[0].value']],
      [
        'a date that is none',
        [{ element: { codename: 'opened' }, value: '2019-13-01' }],
        ['elements[0].value'],
      ],
      [
        'an item twice',
        [{ element: { codename: 'related' }, value: [{ codename: 'ferry' }, { codename: 'ferry' }] }],
        ['elements[0].value[1]'],
      ],
      [
        'an unknown item',
        [{ element: { codename: 'related' }, value: [{ codename: 'x' }] }],
        ['elements[0].value[0]'],
      ],
      [
        'an asset by codename',
        [{ element: { codename: 'photos' }, value: [{ codename: 'x' }] }],
        ['elements[0].value[0]'],
      ],
      [
        'an unknown option',
        [{ element: { codename: 'state' }, value: [{ codename: 'x' }] }],
        ['elements[0].value[0]'],
      ],
      [
        'an unknown term',
        [{ element: { codename: 'topics' }, value: [{ codename: 'x' }] }],
        ['elements[0].value[0]'],
      ],
      [
        'HTML that is not allowed',
        [{ element: { codename: 'body' }, value: '<p><b>x</b></p>' }],
        ['elements[0].value'],
      ],
      [
        'an unknown item in rich text',
        [
          {
            element: { codename: 'body' },
            value: '<p><a data-item-id="00000000-0000-4000-8000-000000000000">x</a></p>',
          },
        ],
        ['elements[0].value'],
      ],
      [
        'several at once',
        [
          { element: { codename: 'title' }, value: 5 },
          { element: { codename: 'price' }, value: 'x' },
          { element: { codename: 'related' }, value: [{ codename: 'x' }] },
        ],
        ['elements[0].value', 'elements[1].value', 'elements[2].value[0]'],
      ],
      [
        'a value inside a component',
        [
          {
            element: { codename: 'body' },
            value: `<object type="application/service" data-type="component" data-id="${COMPONENT_ID}"></object>`,
            components: [
              {
                id: COMPONENT_ID,
                type: { codename: 'teaser' },
                elements: [{ element: { codename: 'heading' }, value: 5 }],
              },
            ],
          },
        ],
        ['elements[0].components[0].elements[0].value'],
      ],
    ];
    for (const [title, elements, paths] of WRONG) {
      it(`${title}: 400 with its path`, async () => {
        const item = await article();
        await put(item, { title: 'before' });
        const before = (await service.v2.get(variant(item))).text;
        const answer = await service.v2.put<ManageError>(variant(item), { elements });
        expect([answer.status, answer.body.error_code]).to.deep.equal([400, 5]);
        expect(answer.body.validation_errors!.map(({ path }) => path)).to.deep.equal(paths);
        for (const { line } of answer.body.validation_errors!) expect(line).to.equal(1);
        expect((await service.v2.get(variant(item))).text).to.equal(before);
      });
    }

    it('a change of what is published: 400 that says what to do', async () => {
      const before = (await service.v2.get(variant('harbour'))).text;
      const { status, body } = await put('harbour', { title: 'x' });
      expect([status, body.error_code]).to.deep.equal([400, 0]);
      expect(body.message).to.match(/new version/);
      expect((await service.v2.get(variant('harbour'))).text).to.equal(before);
    });

    it('what is published, read and put back: accepted, and nothing changes (spec 2.7)', async () => {
      const before = await service.v2.get(variant('harbour'));
      const answer = await service.v2.put(variant('harbour'), before.body as object);
      expect([answer.status, answer.text]).to.deep.equal([200, before.text]);
      expect((await service.v2.get(variant('harbour'))).text).to.equal(before.text);
    });

    it('what is not there: 404 with the code of its kind', async () => {
      const item = await article();
      for (const [path, code] of [
        ['/items/codename/nothing/variants/codename/en-US', 100],
        ['/items/codename/nothing/variants', 100],
        [`/items/codename/${item}/variants/codename/en-US`, 103],
        ['/items/codename/lighthouse/variants/codename/nowhere', 111],
        // A deactivated language (spec 2.7).
        ['/items/codename/lighthouse/variants/codename/fr', 103],
      ] as const) {
        const { status, body } = await service.v2.get<ManageError>(path);
        expect([status, body.error_code], path).to.deep.equal([404, code]);
      }
      for (const step of ['publish', 'unpublish', 'new-version', 'cancel-scheduled-publish']) {
        const path = `/items/codename/lighthouse/variants/codename/fr/${step}`;
        const { status, body } = await service.v2.put<ManageError>(path);
        expect([status, body.error_code], path).to.deep.equal([404, 103]);
      }
    });
  });

  it('of parallel upserts of one variant each is applied completely', async () => {
    const item = await article();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => put(item, { title: `t${index}`, price: index })),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    const body = await get(item);
    expect(shown(body, 'title')).to.equal(`t${shown(body, 'price')}`);
  });

  it('shows in preview at once, in delivery when published', async () => {
    const item = await article();
    await put(item, { title: 'Seen' });
    expect((await service.preview.get(`/items/${item}`)).status).to.equal(200);
    expect((await service.delivery.get(`/items/${item}`)).status).to.equal(404);
    expect((await service.v2.put(`${variant(item)}/publish`)).status).to.equal(204);
    expect((await service.delivery.get(`/items/${item}`)).status).to.equal(200);
  });
});
