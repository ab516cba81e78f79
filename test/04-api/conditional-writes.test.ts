/** `ETag`, `If-Match` and `If-None-Match` of every kind of object that management and the admin API change. */
import { expect } from 'chai';
import { type ApiAnswer, createApiClient } from '../support/clients/api-client.ts';
import { type ManageService, startManage } from '../support/projects/manage-service.ts';

const DEFAULT = '00000000-0000-0000-0000-000000000000';

interface Kind {
  /** Where the object is read. */
  readonly path: string;
  /** A call that changes it; another time `n`, another change. */
  write(n: number): readonly [method: string, path: string, body?: unknown];
  /** The answer of the write is the object. */
  readonly shows: boolean;
}

describe('conditional writes', () => {
  let manage: ManageService;
  let admin: ReturnType<typeof createApiClient>;
  let user: string;
  let role: string;
  let item: string;
  before(async () => {
    manage = await startManage();
    const { service } = manage;
    admin = createApiClient(`${service.url}/admin`, {
      headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
    });
    const made = async (path: string, body: unknown) =>
      (await admin.request<{ id: string }>('POST', path, { body: JSON.stringify(body) })).body.id;
    user = await made('/users', { name: 'Ada', email: 'ada@example.org' });
    role = await made('/roles', { name: 'Writer', codename: 'writer', permissions: ['view-content'] });
    item = (await manage.v2.get<{ id: string }>('/items/codename/lighthouse')).body.id;
    await manage.v2.post('/webhooks', { name: 'Site', url: 'http://127.0.0.1:9/' });
    await manage.v2.post('/folders', {
      folders: [{ name: 'Images', external_id: 'images', folders: [] }],
    });
  });
  after(() => manage.stop());

  const send = (
    surface: 'manage' | 'admin',
    [method, path, body]: readonly [method: string, path: string, body?: unknown],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer> => {
    const given = { headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    if (surface === 'admin') return admin.request(method, path, given);
    const { v2 } = manage;
    const type = method === 'PATCH' ? 'patch' : method === 'PUT' ? 'put' : 'delete';
    if (method === 'GET') return v2.get(path, headers);
    return type === 'delete' ? v2.delete(path, headers) : v2[type](path, body, headers);
  };

  /** Its path by id: a new name gives it a new codename. */
  const at = async (path: string) => {
    const [, collection] = path.split('/');
    return `/${collection}/${(await manage.v2.get<{ id: string }>(path)).body.id}`;
  };
  const rename = (value: string) => [{ op: 'replace', path: '/name', value }];
  const property = (value: string) => [{ op: 'replace', property_name: 'name', value }];
  const kinds: Readonly<Record<string, (project: string) => Promise<Kind> | Kind>> = {
    item: () => ({
      path: `/items/${item}`,
      write: (n) => ['PUT', `/items/${item}`, { name: `Lighthouse ${n}`, sitemap_locations: [] }],
      shows: true,
    }),
    variant: () => ({
      path: `/items/codename/anchor/variants/codename/en-US`,
      write: (n) => [
        'PUT',
        `/items/codename/anchor/variants/codename/en-US`,
        { elements: [{ element: { codename: 'title' }, value: `Anchor ${n}` }] },
      ],
      shows: true,
    }),
    'variant, published': () => ({
      path: `/items/codename/pier/variants/codename/en-US`,
      write: (n) =>
        n % 2 === 1
          ? ['PUT', `/items/codename/pier/variants/codename/en-US/unpublish`]
          : ['PUT', `/items/codename/pier/variants/codename/en-US/publish`],
      shows: false,
    }),
    'content type': async () => {
      const path = await at('/types/codename/note');
      return { path, write: (n) => ['PATCH', path, rename(`Note ${n}`)], shows: true };
    },
    snippet: async () => {
      const path = await at('/snippets/codename/metadata');
      return { path, write: (n) => ['PATCH', path, rename(`Metadata ${n}`)], shows: true };
    },
    taxonomy: async () => {
      const path = await at('/taxonomies/codename/topics');
      return { path, write: (n) => ['PATCH', path, property(`Topics ${n}`)], shows: true };
    },
    language: async () => {
      const path = await at('/languages/codename/de-DE');
      return { path, write: (n) => ['PATCH', path, property(`Deutsch ${n}`)], shows: true };
    },
    asset: async () => {
      const { assets } = (await manage.v2.get<{ assets: { id: string }[] }>('/assets')).body;
      const path = `/assets/${assets[0]!.id}`;
      return { path, write: (n) => ['PUT', path, { title: `Photo ${n}`, descriptions: [] }], shows: true };
    },
    folders: () => ({
      path: '/folders',
      write: (n) => [
        'PATCH',
        '/folders',
        [{ op: 'rename', reference: { external_id: 'images' }, value: `Images ${n}` }],
      ],
      shows: true,
    }),
    'admin: item': () => ({
      path: `/projects/PROJECT/items/${item}`,
      write: (n) => ['POST', `/projects/PROJECT/items/${item}/${n % 2 === 1 ? 'archive' : 'restore'}`],
      shows: false,
    }),
    'admin: sitemap': () => ({
      path: '/projects/PROJECT/sitemap',
      write: (n) => ['PUT', '/projects/PROJECT/sitemap', { nodes: [{ name: `Home ${n}`, nodes: [] }] }],
      shows: true,
    }),
    'admin: webhook': async (project) => {
      const listed = await admin.get<{ webhooks: { id: string }[] }>(`/projects/${project}/webhooks`);
      const path = `/projects/PROJECT/webhooks/${listed.body.webhooks[0]!.id}`;
      return {
        path,
        write: (n) => ['PUT', `${path}/${n % 2 === 1 ? 'disable' : 'enable'}`],
        shows: false,
      };
    },
    'admin: key': () => ({
      path: '/projects/PROJECT/keys/preview-primary',
      write: () => ['POST', '/projects/PROJECT/keys/preview-primary/regenerate'],
      shows: false,
    }),
    'admin: person': () => ({
      path: `/users/${user}`,
      write: (n) => ['PATCH', `/users/${user}`, { name: `Ada ${n}` }],
      shows: true,
    }),
    'admin: role': () => ({
      path: `/roles/${role}`,
      write: (n) => ['PATCH', `/roles/${role}`, { name: `Writer ${n}` }],
      shows: true,
    }),
    'admin: project': () => ({
      path: '/projects/PROJECT',
      write: (n) => ['PUT', '/projects/PROJECT/secure-access', { enabled: n % 2 === 1 }],
      shows: false,
    }),
  };

  for (const [name, kindOf] of Object.entries(kinds)) {
    it(`need the newest ETag: ${name}`, async () => {
      const { id } = manage.project;
      const surface = name.startsWith('admin: ') ? 'admin' : 'manage';
      const kind = await kindOf(id);
      const located = (n: number) => {
        const [method, path, body] = kind.write(n);
        return [method, path.replace('PROJECT', id), body] as const;
      };
      const read = async () => {
        const answer = await send(surface, ['GET', kind.path.replace('PROJECT', id)]);
        return { etag: answer.headers.get('etag')!, text: answer.text };
      };
      const first = await read();
      expect(first.etag).to.match(/^"[\w-]{27}(?:-gzip|-br)?"$/);
      expect((await read()).etag).to.equal(first.etag);

      const refused = await send(surface, located(1), { 'if-match': '"other"' });
      expect(refused.status, refused.text).to.equal(412);
      expect(refused.body).to.include({ error_code: 2 });
      expect(refused.body['message']).to.match(/^The object was changed since it was read/);
      expect(await read()).to.deep.equal(first);

      const done = await send(surface, located(1), { 'if-match': `"other", ${first.etag}` });
      expect(done.status, done.text).to.be.within(200, 204);
      const second = await read();
      expect(second.etag).to.not.equal(first.etag);
      expect(done.headers.get('etag')).to.equal(kind.shows ? second.etag : null);

      expect((await send(surface, located(2), { 'if-match': first.etag })).status).to.equal(412);
      expect((await send(surface, located(2), { 'if-none-match': '*' })).status).to.equal(412);
      expect(await read()).to.deep.equal(second);
      expect((await send(surface, located(2), { 'if-match': '*' })).status).to.be.within(200, 204);
      expect((await send(surface, located(1))).status).to.be.within(200, 204);
    });
  }

  it('create an object only where there is none', async () => {
    const path = '/items/external-id/once';
    const body = { name: 'Once', type: { codename: 'teaser' }, sitemap_locations: [] };
    expect((await manage.v2.put(path, body, { 'if-match': '*' })).status).to.equal(412);
    expect((await manage.v2.get(path)).status).to.equal(404);
    expect((await manage.v2.put(path, body, { 'if-none-match': '*' })).status).to.equal(201);
    expect((await manage.v2.put(path, body, { 'if-none-match': '*' })).status).to.equal(412);
    const variant = `${path}/variants/${DEFAULT}`;
    const elements = { elements: [{ element: { codename: 'heading' }, value: 'Once' }] };
    expect((await manage.v2.put(variant, elements, { 'if-none-match': '*' })).status).to.equal(201);
    expect((await manage.v2.put(variant, elements, { 'if-none-match': '*' })).status).to.equal(412);
    const { etag } = Object.fromEntries((await manage.v2.get(variant)).headers);
    expect((await manage.v2.delete(variant, { 'if-match': '"other"' })).status).to.equal(412);
    expect((await manage.v2.delete(variant, { 'if-match': etag! })).status).to.equal(204);
    expect((await manage.v2.put(variant, elements, { 'if-match': etag! })).status).to.equal(404);
  });

  it('of a missing object have the answer that they have without conditions', async () => {
    const missing = '/types/codename/missing';
    const conditions = { 'if-match': '"other"' };
    expect((await manage.v2.delete(missing, conditions)).status).to.equal(404);
    expect((await manage.v2.post('/types', { name: 'T', elements: [] }, conditions)).status).to.equal(412);
  });

  it('let exactly one of many writers with the same ETag win', async () => {
    const path = await at('/items/codename/ferry');
    const before = (await manage.v2.get(path)).headers.get('etag')!;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        manage.v2.put(path, { name: `Ferry ${n}`, sitemap_locations: [] }, { 'if-match': before }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).to.deep.equal([200, ...Array.from({ length: 19 }, () => 412)]);
    const winner = answers.find(({ status }) => status === 200)!;
    expect((await manage.v2.get(path)).text).to.equal(winner.text);
  });

  it('compare tags of compressed answers with what they are of', async () => {
    const path = await at('/types/codename/article');
    const { headers } = await manage.v2.get(path, { 'accept-encoding': 'br' });
    expect(headers.get('content-encoding')).to.equal('br');
    const etag = headers.get('etag')!;
    const operations = rename('Articles');
    expect((await manage.v2.patch(path, operations, { 'if-match': etag })).status).to.equal(200);
    expect((await manage.v2.patch(path, operations, { 'if-match': etag })).status).to.equal(412);
  });

  it('do not change with the use of a key or the state of a webhook queue', async () => {
    const path = `/projects/${manage.project.id}/keys/preview-secondary`;
    const before = await admin.get<{ last_used: string | null }>(path);
    const { body } = await admin.get<{ webhooks: { id: string }[] }>(
      `/projects/${manage.project.id}/webhooks`,
    );
    const webhook = `/projects/${manage.project.id}/webhooks/${body.webhooks[0]!.id}`;
    const waiting = await admin.get<{ waiting: number }>(webhook);
    await manage.v2.patch('/taxonomies/codename/audience', property('Readers'));
    const after = await admin.get<{ waiting: number }>(webhook);
    expect(after.headers.get('etag')).to.equal(waiting.headers.get('etag'));
    expect(before.headers.get('etag')).to.equal((await admin.get(path)).headers.get('etag'));
  });
});
