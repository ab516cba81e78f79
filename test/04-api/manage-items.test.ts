import { expect } from 'chai';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';

interface ItemJson {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly type: { readonly id: string };
  readonly sitemap_locations: readonly { readonly id: string }[];
  readonly external_id?: string;
  readonly last_modified: string;
}

const NO_ID = '00000000-0000-4000-8000-000000000000';

describe('management v2: content items', () => {
  let service: ManageService;
  let type: { readonly id: string };
  let home: { readonly id: string };
  let count = 0;

  const fresh = () => `ext-${++count}`;
  const post = (body: unknown) => service.v2.post<ItemJson>('/items', body);
  const note = (more: object = {}) => ({ name: 'A note', type: { codename: 'note' }, ...more });

  before(async () => {
    service = await startManage();
    const { body } = await service.v2.get<ItemJson>('/items/codename/memo');
    type = body.type;
    home = (await service.v2.get<ItemJson>('/items/codename/harbour')).body.sitemap_locations[0]!;
  });
  after(() => service.stop());

  it('makes an item and returns its URL (spec 4.3)', async () => {
    const externalId = fresh();
    const { status, headers, body } = await post(
      note({ name: 'New  Note!', external_id: externalId, sitemap_locations: [{ codename: 'home' }] }),
    );
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(`${service.v2.baseUrl}/items/${body.id}`);
    expect(Object.keys(body)).to.deep.equal([
      'id',
      'name',
      'codename',
      'type',
      'sitemap_locations',
      'external_id',
      'last_modified',
      'collection',
      'spaces',
    ]);
    expect(body).to.deep.include({
      name: 'New  Note!',
      codename: 'new__note_',
      type,
      sitemap_locations: [home],
      external_id: externalId,
      spaces: [],
    });
    expect((await service.v2.get(headers.get('location')!)).body).to.deep.equal(body);
  });

  it('leaves external_id out where there is none (spec 2.6)', async () => {
    const { body } = await post(note());
    expect(body).not.to.have.property('external_id');
    expect(body.id[14]).to.equal('4');
  });

  it('gives the same id to the same external id, and a codename with its start on collision', async () => {
    const externalId = fresh();
    const first = await post(note({ name: 'Twice', external_id: externalId }));
    expect(first.body.id[14]).to.equal('5');
    await service.v2.delete(`/items/${first.body.id}`);
    await post(note({ name: 'Twice' }));
    const again = await post(note({ name: 'Twice', external_id: externalId }));
    expect([again.status, again.body.id]).to.deep.equal([201, first.body.id]);
    expect(again.body.codename).to.equal(`twice_${again.body.id.slice(0, 7)}`);
  });

  describe('identifier forms (spec 4.3)', () => {
    const FORMS = ['id', 'codename', 'external-id'] as const;
    for (const form of FORMS) {
      it(`reads, changes and deletes by ${form}`, async () => {
        const externalId = fresh();
        const made = (await post(note({ name: `By ${form}`, external_id: externalId }))).body;
        const path = {
          id: `/items/${made.id}`,
          codename: `/items/codename/${made.codename}`,
          'external-id': `/items/external-id/${externalId}`,
        }[form];
        expect((await service.v2.get(path)).body).to.deep.equal(made);
        const changed = await service.v2.put<ItemJson>(path, {
          name: made.name,
          sitemap_locations: [{ codename: 'shop' }],
        });
        expect([changed.status, changed.headers.get('location')]).to.deep.equal([200, null]);
        expect(changed.body.sitemap_locations).to.have.length(1);
        expect((await service.v2.delete(path)).status).to.equal(204);
        for (const method of ['get', 'delete'] as const) {
          const { status, body } = await service.v2[method]<ManageError>(path);
          expect([status, body.error_code], method).to.deep.equal([404, 100]);
        }
      });
    }

    it('takes ids in any case, and external ids with every character', async () => {
      const externalId = 'a/b c?d=é%&#+~"';
      const made = (await post(note({ external_id: externalId }))).body;
      expect((await service.v2.get(`/items/${made.id.toUpperCase()}`)).body).to.deep.equal(made);
      const path = `/items/external-id/${encodeURIComponent(externalId)}`;
      expect((await service.v2.get(path)).body).to.deep.equal(made);
    });
  });

  it('upserts by external id: 201, then 200 (spec 4.3)', async () => {
    const path = `/items/external-id/${fresh()}`;
    const made = await service.v2.put<ItemJson>(path, note());
    expect([made.status, made.headers.get('location')]).to.deep.equal([
      201,
      `${service.v2.baseUrl}/items/${made.body.id}`,
    ]);
    const changed = await service.v2.put<ItemJson>(path, { name: 'Renamed', sitemap_locations: [] });
    expect([changed.status, changed.body.id, changed.body.codename]).to.deep.equal([
      200,
      made.body.id,
      'renamed',
    ]);
  });

  it('changes nothing when the body has the current values', async () => {
    const made = (await post(note({ name: 'Still', sitemap_locations: [home] }))).body;
    const again = await service.v2.put<ItemJson>(`/items/${made.id}`, made);
    expect([again.status, again.body]).to.deep.equal([200, made]);
  });

  it('ignores what cannot be changed, and takes a codename that is new', async () => {
    const made = (await post(note({ name: 'Keeper' }))).body;
    const path = `/items/${made.id}`;
    const { body } = await service.v2.put<ItemJson>(path, {
      ...made,
      id: NO_ID,
      name: 'Keeper renamed',
      type: { codename: 'article' },
      external_id: 'other',
      last_modified: '2001-01-01T00:00:00Z',
      collection: { id: NO_ID },
    });
    expect(body).to.deep.equal({
      ...made,
      name: 'Keeper renamed',
      codename: 'keeper_renamed',
      last_modified: body.last_modified,
    });
    const named = await service.v2.put<ItemJson>(path, { ...body, codename: 'by_hand' });
    expect(named.body.codename).to.equal('by_hand');
  });

  it('is visible to readers at once when renamed', async () => {
    const { body } = await service.v2.get<ItemJson>('/items/codename/tide');
    await service.v2.put(`/items/${body.id}`, { ...body, name: 'Spring tide', codename: 'spring_tide' });
    expect((await service.delivery.get('/items/spring_tide')).status).to.equal(200);
    await service.v2.put(`/items/${body.id}`, { ...body });
  });

  it('has a name of up to 50 characters, whatever their bytes', async () => {
    for (const character of ['x', 'é', '日', '😀']) {
      const made = await service.v2.post<ItemJson>('/items', note({ name: character.repeat(50) }));
      expect([made.status, made.body.name], character).to.deep.equal([201, character.repeat(50)]);
      await service.v2.delete(`/items/${made.body.id}`);
    }
  });

  it('has an external id of up to 200 characters, whatever their bytes', async () => {
    const external_id = '😀'.repeat(200);
    const made = await service.v2.post<ItemJson>('/items', note({ external_id }));
    expect([made.status, made.body.external_id], made.text).to.deep.equal([201, external_id]);
    expect(
      (await service.v2.delete(`/items/external-id/${encodeURIComponent(external_id)}`)).status,
    ).to.equal(204);
    const longer = await service.v2.post('/items', note({ external_id: `${external_id}x` }));
    expect(longer.status).to.equal(400);
  });

  describe('what is refused (spec 7)', () => {
    const BODIES: readonly (readonly [
      title: string,
      body: unknown,
      code: number,
      paths: readonly string[],
    ])[] = [
      ['no name', { type: { codename: 'note' } }, 5, ['name']],
      ['an empty name', note({ name: '  ' }), 5, ['name']],
      ['a name of 51 characters', note({ name: 'x'.repeat(51) }), 5, ['name']],
      ['a name of 51 emoji', note({ name: '😀'.repeat(51) }), 5, ['name']],
      ['a name that is no text', note({ name: 5 }), 5, ['name']],
      ['no type', { name: 'No type' }, 0, []],
      ['an unknown type', note({ type: { codename: 'nothing' } }), 5, ['type']],
      ['a type in two forms', note({ type: { codename: 'note', id: NO_ID } }), 5, ['type']],
      ['a type that is no reference', note({ type: 'note' }), 5, ['type']],
      ['a missing node', note({ sitemap_locations: [{ codename: 'x' }] }), 5, ['sitemap_locations[0]']],
      [
        'a node twice',
        note({ sitemap_locations: [{ codename: 'home' }, { codename: 'home' }] }),
        5,
        ['sitemap_locations[1]'],
      ],
      ['locations that are no array', note({ sitemap_locations: {} }), 5, ['sitemap_locations']],
      ['an empty external id', note({ external_id: '' }), 5, ['external_id']],
      ['a codename with capitals', note({ codename: 'Nope' }), 5, ['codename']],
      ['a codename that is taken', note({ codename: 'lighthouse' }), 5, ['codename']],
      ['an array', [note()], 5, []],
      ['a text', '"note"', 5, []],
      [
        'everything at once',
        { name: '', type: { id: 'x' }, sitemap_locations: [{ codename: 'x' }] },
        5,
        ['name', 'type', 'sitemap_locations[0]'],
      ],
    ];
    for (const [title, body, code, paths] of BODIES) {
      it(`${title}: 400 with code ${code}`, async () => {
        const before = (await service.v2.get('/items')).text;
        const answer = await service.v2.post<ManageError>('/items', body);
        expect([answer.status, answer.body.error_code]).to.deep.equal([400, code]);
        const errors = answer.body.validation_errors ?? [];
        expect(errors.flatMap(({ path }) => path ?? [])).to.deep.equal(paths);
        for (const { line } of errors) expect(line).to.be.greaterThan(0);
        expect((await service.v2.get('/items')).text).to.equal(before);
      });
    }

    it('an external id that is taken (spec 7)', async () => {
      const externalId = fresh();
      await post(note({ external_id: externalId }));
      const { status, body } = await service.v2.post<ManageError>(
        '/items',
        note({ external_id: externalId }),
      );
      expect([status, body.error_code, body.validation_errors?.[0]?.path]).to.deep.equal([
        400,
        5,
        'external_id',
      ]);
    });

    it('a change without sitemap_locations, by whatever identifier (spec 4.3)', async () => {
      const made = (await post(note({ external_id: fresh() }))).body;
      for (const path of [`/items/${made.id}`, `/items/external-id/${made.external_id}`]) {
        const { status, body } = await service.v2.put<ManageError>(path, { name: '' });
        expect([status, body.validation_errors?.map((one) => one.path)]).to.deep.equal([
          400,
          ['name', 'sitemap_locations'],
        ]);
      }
    });

    it('changing what is not there: 404 with code 100', async () => {
      for (const path of [`/items/${NO_ID}`, '/items/codename/nothing', '/items/not-a-guid']) {
        const { status, body } = await service.v2.put<ManageError>(path, {
          name: 'x',
          sitemap_locations: [],
        });
        expect([status, body.error_code], path).to.deep.equal([404, 100]);
      }
    });

    it('101 at once with one new external id: one item and 100 clear refusals', async () => {
      const externalId = fresh();
      const answers = await Promise.all(
        Array.from({ length: 101 }, () =>
          service.v2.post<ManageError>('/items', note({ external_id: externalId })),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([201, ...Array.from({ length: 100 }, () => 400)]);
      for (const { status, body } of answers) if (status === 400) expect(body.error_code).to.equal(5);
    });
  });

  it('accepts bodies without sitemap_locations with the setting for it', async () => {
    const lenient = await startManage({
      environment: { HEADWATER_MANAGEMENT__SITEMAP_LOCATIONS_OPTIONAL: 'true' },
    });
    try {
      const { body } = await lenient.v2.get<ItemJson>('/items/codename/harbour');
      const renamed = await lenient.v2.put<ItemJson>(`/items/${body.id}`, { name: 'Port' });
      expect([renamed.status, renamed.body.sitemap_locations]).to.deep.equal([200, body.sitemap_locations]);
    } finally {
      await lenient.stop();
    }
  });

  describe('addresses', () => {
    it('other methods are 405 with those that work, other paths 404', async () => {
      for (const [method, path, allow] of [
        ['patch', '/items', 'GET, HEAD, POST'],
        ['post', '/items/codename/memo', 'GET, HEAD, PUT, DELETE'],
        ['delete', '', 'GET, HEAD'],
      ] as const) {
        const answer = await service.v2[method]<ManageError>(path);
        expect([answer.status, answer.body.error_code, answer.headers.get('allow')], path).to.deep.equal([
          405,
          2,
          allow,
        ]);
      }
      for (const path of ['/item', '/items/codename', '/items/a/b', '/items/codename/memo/variants/a/b']) {
        expect((await service.v2.get(path)).status, path).to.equal(404);
      }
    });

    it('slashes may be doubled and trailing', async () => {
      expect((await service.v2.get('//items//codename/memo/')).status).to.equal(200);
    });

    it('the project itself answers its id and name', async () => {
      const { body } = await service.v2.get('');
      expect(body).to.deep.equal({ id: service.project.id, name: 'Harbour' });
    });
  });
});
