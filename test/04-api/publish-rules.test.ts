import { expect } from 'chai';
import { type ApiClient, createApiClient } from '../support/clients/api-client.ts';
import { tilesImage } from '../support/images/test-images.ts';
import { longTest } from '../support/long-form.ts';
import {
  type ManageError,
  type ManageService,
  manageClient,
  managementKey,
  startManage,
} from '../support/projects/manage-service.ts';

const COPY = '5f6d0000-0000-4000-8000-00000000c0b1';
const COMPONENT = '10000000-0000-4000-8000-000000000000';
const RICH_TEXT_COMPONENT = `<object type="application/service" data-type="component" data-id="${COMPONENT}"></object>`;

interface Report {
  readonly variant_issues: readonly {
    readonly item: { readonly codename: string };
    readonly issues: readonly {
      readonly element: { codename: string };
      readonly messages: readonly string[];
    }[];
  }[];
}

interface Plan {
  readonly variants: readonly { readonly change: string }[];
  readonly validation_errors: readonly { readonly message: string; readonly path: string }[];
}

const limit = (condition: string, value: number) => ({ condition, value });

/** One element for each kind of limit there is. */
const ELEMENTS = [
  { type: 'guidelines', guidelines: '<p>Be kind.</p>', is_required: true },
  { type: 'text', name: 'Needed', is_required: true },
  { type: 'number', name: 'Amount', is_required: true },
  { type: 'date_time', name: 'When', is_required: true },
  { type: 'url_slug', name: 'Slug', is_required: true, depends_on: { element: { codename: 'needed' } } },
  { type: 'custom', name: 'Colour', is_required: true, source_url: 'https://example.org' },
  { type: 'text', name: 'Letters', maximum_text_length: { value: 5, applies_to: 'characters' } },
  { type: 'text', name: 'Terse', maximum_text_length: { value: 2, applies_to: 'words' } },
  {
    type: 'rich_text',
    name: 'Body',
    maximum_text_length: { value: 3, applies_to: 'words' },
    allowed_content_types: [{ codename: 'note' }],
    maximum_image_size: 10,
    image_width_limit: limit('at_most', 10),
  },
  { type: 'rich_text', name: 'Empty', is_required: true },
  { type: 'asset', name: 'Files', asset_count_limit: limit('at_most', 1), maximum_file_size: 20 },
  {
    type: 'asset',
    name: 'Images',
    asset_count_limit: limit('at_least', 1),
    allowed_file_types: 'adjustable',
    image_width_limit: limit('exactly', 60),
    image_height_limit: limit('at_least', 41),
  },
  {
    type: 'modular_content',
    name: 'Links',
    item_count_limit: limit('exactly', 2),
    allowed_content_types: [{ codename: 'note' }],
  },
  {
    type: 'taxonomy',
    name: 'Tags',
    taxonomy_group: { codename: 'kinds' },
    term_count_limit: limit('at_most', 1),
  },
  { type: 'multiple_choice', name: 'State', mode: 'single', is_required: true, options: [{ name: 'New' }] },
  { type: 'snippet', snippet: { codename: 'search' } },
];

const NEVER_WRITTEN = [
  'needed',
  'amount',
  'when',
  'slug',
  'colour',
  'empty',
  'images',
  'links',
  'state',
  'search__heading',
];

const set = (codename: string, value: unknown, more: object = {}) => ({
  element: { codename },
  value,
  ...more,
});

describe('required elements and limits: one rule for publishing', () => {
  let service: ManageService;
  let admin: ApiClient;
  let broken: unknown[];
  let good: unknown[];
  let count = 0;

  const path = (item: string) => `/items/codename/${item}/variants/codename/en-US`;
  const write = (item: string, elements: readonly unknown[]) =>
    service.v2.put<ManageError>(path(item), { elements });
  const publish = (item: string, body?: unknown) =>
    service.v2.put<ManageError>(`${path(item)}/publish`, body);
  /** A call of the admin API about several variants. */
  const publishAll = <Body>(body: unknown, query = '') =>
    admin.request<Body>('POST', `/projects/${service.project.id}/publish${query}`, {
      body: JSON.stringify(body),
    });
  const isPublic = async (item: string) => (await service.delivery.get(`/items/${item}`)).status === 200;

  async function draft(elements: readonly unknown[], type = 'strict'): Promise<string> {
    const codename = `${type}_${++count}`;
    await service.v2.post('/items', { name: codename, codename, type: { codename: type } });
    const { status, text } = await write(codename, elements);
    expect(status, text).to.equal(201);
    return codename;
  }

  async function asset(name: string, type: string, content: Uint8Array | string): Promise<string> {
    const file = await service.v2.post(`/files/${name}`, content, { 'content-type': type });
    const made = await service.v2.post<{ id: string }>('/assets', {
      file_reference: file.body,
      title: name,
      descriptions: [],
    });
    expect(made.status, made.text).to.equal(201);
    return made.body.id;
  }

  before(async () => {
    service = await startManage();
    admin = createApiClient(`${service.service.url}/admin`, {
      headers: { authorization: `Bearer ${service.service.adminToken}`, 'content-type': 'application/json' },
    });
    for (const [to, body] of [
      [
        '/taxonomies',
        {
          name: 'Kinds',
          terms: [
            { name: 'One', terms: [] },
            { name: 'Two', terms: [] },
          ],
        },
      ],
      ['/snippets', { name: 'Search', elements: [{ type: 'text', name: 'Heading', is_required: true }] }],
      ['/types', { name: 'Strict', elements: ELEMENTS }],
      ['/types', { name: 'Inner', elements: [{ type: 'text', name: 'Words', is_required: true }] }],
    ] as const) {
      const { status, text } = await service.v2.post(to, body);
      expect(status, text).to.equal(201);
    }
    const image = await asset('image.png', 'image/png', await tilesImage(3, 2).png().toBuffer());
    const high = await asset('high.png', 'image/png', await tilesImage(3, 3).png().toBuffer());
    const long = await asset('long.txt', 'text/plain', 'more than twenty bytes of text');
    const short = await asset('short.txt', 'text/plain', 'short');
    broken = [
      set('letters', 'sixsix'),
      set('terse', 'one two three'),
      set(
        'body',
        `<p>one two</p><p>three four</p><figure data-asset-id="${image}"></figure>
         <object type="application/service" data-type="item" data-codename="lighthouse"></object>
         ${RICH_TEXT_COMPONENT}`,
        { components: [{ id: COMPONENT, type: { codename: 'inner' }, elements: [] }] },
      ),
      set('files', [{ id: long }, { id: short }]),
      set('images', [{ id: image }, { id: short }]),
      set('links', [{ codename: 'memo' }, { codename: 'lighthouse' }, { codename: 'harbour' }]),
      set('tags', [{ codename: 'one' }, { codename: 'two' }]),
    ];
    good = [
      set('needed', 'Something'),
      set('amount', 0),
      set('when', '2030-01-01T00:00:00Z'),
      set('slug', 'something', { mode: 'custom' }),
      set('colour', 'red'),
      set('letters', '12345'),
      set('terse', 'one two'),
      set('body', '<p>a &amp; b</p>'),
      set('empty', `<p>x</p>${RICH_TEXT_COMPONENT}`, {
        components: [{ id: COMPONENT, type: { codename: 'inner' }, elements: [set('words', 'x')] }],
      }),
      set('files', [{ id: short }]),
      set('images', [{ id: high }]),
      set('links', [{ codename: 'memo' }, { external_id: 'not made yet' }]),
      set('tags', [{ codename: 'one' }]),
      set('state', [{ codename: 'new' }]),
      set('search__heading', 'x'),
    ];
  });
  after(() => service.stop());

  it('accept the draft, and refuse to publish it with every violation and its path', async () => {
    const item = await draft(broken);
    const { status, body } = await publish(item);
    expect([status, body.error_code]).to.deep.equal([400, 5]);
    const paths = body.validation_errors!.map((error) => error.path);
    expect(paths).to.deep.equal([
      ...['needed', 'amount', 'when', 'slug', 'colour', 'letters', 'terse'].map((one) => `elements.${one}`),
      // Words, a linked item, bytes and width of the image, the type of the component, its element.
      ...['', '', '', '', '.components[0]', '.components[0].elements.words'].map(
        (end) => `elements.body${end}`,
      ),
      'elements.empty',
      'elements.files',
      'elements.files[0]',
      // The height of the first, the kind of the second.
      'elements.images[0]',
      'elements.images[1]',
      'elements.links',
      'elements.links[1]',
      'elements.links[2]',
      'elements.tags',
      'elements.state',
      'elements.search__heading',
    ]);
    for (const { message, line } of body.validation_errors!) {
      expect(message).to.match(new RegExp(`^The element '\\w+' of '${item}' \\(en-US\\): `));
      expect(line).to.equal(undefined);
    }
    expect(await isPublic(item)).to.equal(false);
  });

  it('accept values exactly at every limit, with references to missing objects', async () => {
    const item = await draft(good);
    const { status, text } = await publish(item);
    expect(status, text).to.equal(204);
    expect(await isPublic(item)).to.equal(true);
  });

  it('say how many values there are, one in the singular', async () => {
    const item = await draft(good);
    await write(item, [set('links', [{ codename: 'memo' }])]);
    const { body } = await publish(item);
    expect(body.validation_errors!.map(({ message }) => message)).to.deep.equal([
      `The element 'links' of '${item}' (en-US): There is 1 item, exactly 2 are expected.`,
    ]);
  });

  it('are reported alike by validate (v1 and v2) and the publish plan', async () => {
    const item = await draft(broken);
    const refused = (await publish(item)).body.validation_errors!;
    for (const client of [service.v1, service.v2]) {
      const { body } = await client.post<Report>('/validate');
      const found = body.variant_issues.find((issue) => issue.item.codename === item)!;
      expect(found.issues.flatMap(({ messages }) => messages)).to.deep.equal(
        refused.map(({ message }) => message.slice(message.indexOf(': ') + 2)),
      );
    }
    const variants = [
      { item: 'memo', language: 'en-US' },
      { item, language: 'en-US' },
    ];
    const plan = await publishAll<Plan>({ variants }, '?plan=true');
    expect(plan.status).to.equal(200);
    expect(plan.body.validation_errors).to.deep.equal(
      refused.map(({ message, path: at }) => ({ message, path: `variants[1].${at}` })),
    );
    const all = await publishAll<ManageError>({ variants });
    expect([all.status, all.body.error_code]).to.deep.equal([400, 5]);
    expect(all.body.validation_errors!.map(({ message, path: at }) => ({ message, path: at }))).to.deep.equal(
      plan.body.validation_errors,
    );
    // The place of the variant in the body.
    expect(all.body.validation_errors![0]!.position).to.be.greaterThan(1);
  });

  it('publish several variants or none, and schedule none that violates the rule', async () => {
    const [bad, fine] = [await draft([]), await draft(good)];
    const scheduled_to = '2999-01-01T00:00:00Z';
    const one = await publish(bad, { scheduled_to });
    expect([one.status, one.body.validation_errors?.length]).to.deep.equal([400, NEVER_WRITTEN.length]);
    // It is about the draft, not about a place in this body.
    expect(one.body.validation_errors![0]).not.to.have.property('line');
    const variants = [fine, bad].map((item) => ({ item, language: 'en-US' }));
    for (const body of [{ variants }, { variants, scheduled_to }])
      expect((await publishAll(body)).status).to.equal(400);
    expect(await isPublic(fine)).to.equal(false);
    expect((await publish(fine, { scheduled_to })).status).to.equal(204);
  });

  longTest(
    'allow 50,000 elements in components; an answer reports the first of many violations',
    async () => {
      const elements = Array.from({ length: 500 }, (_, index) => ({
        type: 'text',
        name: `Field ${index}`,
        is_required: true,
      }));
      await service.v2.post('/types', { name: 'Wide', elements });
      await service.v2.post('/types', { name: 'Holder', elements: [{ type: 'rich_text', name: 'Body' }] });
      const holding = (count: number) => {
        const ids = Array.from(
          { length: count },
          (_, index) => COMPONENT.slice(0, -4) + String(1000 + index),
        );
        const components = ids.map((id) => ({ id, type: { codename: 'wide' }, elements: [] }));
        const html = ids.map((id) => RICH_TEXT_COMPONENT.replace(COMPONENT, id)).join('');
        return [set('body', html, { components })];
      };
      const item = await draft(holding(100), 'holder');
      const refused = await write(item, holding(101));
      expect(refused.status).to.equal(400);
      expect(refused.body.validation_errors?.[0]?.message).to.match(/50500 elements .* at most 50000/);
      const published = await publish(item);
      expect([published.status, published.body.validation_errors?.length]).to.deep.equal([400, 101]);
      const plan = await publishAll<{ validation_errors: unknown[] }>(
        { variants: [{ item: { codename: item }, language: { codename: 'en-US' } }] },
        '?plan=true',
      );
      expect([plan.status, plan.body.validation_errors.length]).to.deep.equal([200, 10_001]);
      // Else every later call for the whole project reports them.
      expect((await service.v2.delete(`/items/codename/${item}`)).status).to.equal(204);
    },
  );

  it('are violated by elements that were never written', async () => {
    const { body } = await publish(await draft([]));
    expect(body.validation_errors!.map((error) => error.path)).to.deep.equal(
      NEVER_WRITTEN.map((codename) => `elements.${codename}`),
    );
  });

  it('do not unpublish content when they get stricter, but refuse its new versions', async () => {
    await service.v2.post('/types', { name: 'Loose', elements: [{ type: 'text', name: 'Text' }] });
    const item = await draft([set('text', 'a long text')], 'loose');
    expect((await publish(item)).status).to.equal(204);
    const stricter = await service.v2.patch('/types/codename/loose', [
      {
        op: 'replace',
        path: '/elements/codename:text/maximum_text_length',
        value: { value: 4, applies_to: 'characters' },
      },
    ]);
    expect(stricter.status, stricter.text).to.equal(200);
    expect(await isPublic(item)).to.equal(true);
    expect((await publish(item)).status).to.equal(204);
    await service.v2.put(`${path(item)}/new-version`);
    expect((await publish(item)).status).to.equal(400);
    expect(await isPublic(item)).to.equal(true);
    await write(item, [set('text', 'text')]);
    expect((await publish(item)).status).to.equal(204);
  });

  it('report the same for a project imported from its archive, with the same states and slug modes', async () => {
    await service.v2.post('/types', {
      name: 'Archived',
      elements: [
        { type: 'text', name: 'Text' },
        { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'text' } } },
      ],
    });
    const following = await draft([set('text', 'A text')], 'archived');
    const custom = await draft([set('text', 'A text'), set('slug', 'own')], 'archived');
    for (const item of [following, custom]) expect((await publish(item)).status).to.equal(204);
    await service.v2.patch('/types/codename/archived', [
      {
        op: 'replace',
        path: '/elements/codename:text/maximum_text_length',
        value: { value: 1, applies_to: 'words' },
      },
    ]);
    const { core, url, adminToken } = service.service;
    const call = (to: string, body?: Uint8Array<ArrayBuffer>) =>
      fetch(`${url}/admin/projects/${to}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/x-tar' },
        ...(body && { body }),
      });
    const archive = await (await call(`${service.project.id}/export`)).arrayBuffer();
    const made = await call(`import?id=${COPY}&name=Copy`, new Uint8Array(archive));
    expect(made.status, await made.text()).to.equal(201);
    const { key } = await managementKey(core, COPY);
    const copy = manageClient(`${url}/manage/v2/projects/${COPY}`, key);
    for (const item of [following, custom]) {
      expect((await fetch(`${url}/delivery/${COPY}/items/${item}`)).status).to.equal(200);
      const modes = (client: typeof copy) =>
        client
          .get<{ elements: { value: unknown; mode?: string }[] }>(path(item))
          .then(({ body }) => body.elements.map(({ value, mode }) => [value, mode]));
      expect(await modes(copy)).to.deep.equal(await modes(service.v2));
    }
    const findings = async (client: typeof copy) =>
      (await client.post<Report>('/validate')).body.variant_issues
        .filter(({ item }) => item.codename.startsWith('archived'))
        .map(({ item, issues }) => [item.codename, issues.map(({ messages }) => messages)]);
    expect(await findings(copy)).to.have.length(2);
    expect(await findings(copy)).to.deep.equal(await findings(service.v2));
  });

  it('are reported, not enforced, with publishing.allowInvalid', async () => {
    const lax = await startManage({ environment: { HEADWATER_PUBLISHING__ALLOW_INVALID: 'true' } });
    try {
      await lax.v2.post('/types', {
        name: 'Strict',
        elements: [{ type: 'text', name: 'Needed', is_required: true }],
      });
      await lax.v2.post('/items', { name: 'lax', codename: 'lax', type: { codename: 'strict' } });
      await lax.v2.put(path('lax'), { elements: [] });
      expect((await lax.v2.put(`${path('lax')}/publish`)).status).to.equal(204);
      expect((await lax.delivery.get('/items/lax')).status).to.equal(200);
      const { body } = await lax.v2.post<Report>('/validate');
      expect(body.variant_issues.map(({ item }) => item.codename)).to.include('lax');
    } finally {
      await lax.stop();
    }
  });
});
