import { expect } from 'chai';
import { adminOpenapi } from '../../core/admin/openapi.ts';
import { routes } from '../../core/admin/routes.ts';
import { type ApiClient, createApiClient } from '../support/clients/api-client.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const UNKNOWN = '6f3a1c62-0000-4000-8000-000000000000';

describe('admin API: projects, keys, users', () => {
  let service: RunningService;
  let admin: ApiClient;

  const call = async <Body = Record<string, never>>(method: string, path: string, body?: unknown) => {
    const answer = await admin.request<Body>(
      method,
      path,
      body === undefined ? {} : { body: JSON.stringify(body) },
    );
    return { status: answer.status, body: answer.body, text: answer.text };
  };
  const newProject = async (name: string): Promise<string> =>
    (await call<{ id: string }>('POST', '/projects', { name })).body.id;
  const newUser = async (project: string, name = 'Anna'): Promise<string> => {
    const projects = [{ id: project, capabilities: ['manage-apis'] }];
    const { body } = await call<{ id: string }>('POST', '/users', {
      name,
      email: `${name}@example.org`,
      projects,
    });
    return body.id;
  };
  const listing = (project: string, key?: string) =>
    fetch(
      `${service.url}/delivery/${project}/items`,
      key ? { headers: { authorization: `Bearer ${key}` } } : {},
    );
  const managing = (project: string, key: string) =>
    fetch(`${service.url}/manage/v2/projects/${project}/items`, {
      headers: { authorization: `Bearer ${key}` },
    });

  before(async () => {
    service = await startService();
    admin = createApiClient(`${service.url}/admin`, {
      headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
    });
  });
  after(() => service.stop());

  it('is described by OpenAPI, every call', () => {
    const described = Object.entries(adminOpenapi().paths).flatMap(([path, item]) =>
      ['get', 'post', 'put', 'patch', 'delete']
        .filter((method) => method in item)
        .map(
          (method) => `${method.toUpperCase()} ${path.slice('/admin/'.length).replace(/\{(\w+)\}/g, ':$1')}`,
        ),
    );
    expect(described.sort()).to.deep.equal(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('requires its token', async () => {
    const withoutToken = createApiClient(`${service.url}/admin`);
    expect((await withoutToken.get('/projects')).status).to.equal(401);
  });

  it('creates a project with a default language, lists it and reads it', async () => {
    const id = '0a1b2c3d-0000-4000-8000-00000000000a';
    const made = await call('POST', '/projects', {
      name: 'Harbour',
      id: id.toUpperCase(),
      default_language: { name: 'English', codename: 'en' },
    });
    expect(made.status).to.equal(201);
    expect(made.body).to.deep.include({ id, name: 'Harbour' });
    expect((await call('POST', '/projects', { name: 'Again', id })).status).to.equal(409);
    const { body: one } = await call<{ id: string; created: string }>('GET', `/projects/${id}`);
    expect(one).to.deep.equal({
      id,
      name: 'Harbour',
      secure_access: false,
      management_api: false,
      created: one.created,
      archived: null,
    });
    expect(Date.parse(one.created)).to.be.closeTo(Date.now(), 60_000);
    const { body } = await call<{ projects: { id: string }[] }>('GET', '/projects');
    expect(body.projects.find((project) => project.id === id)).to.deep.equal(one);
  });

  it('archives a project, which then no surface serves, and restores it', async () => {
    const id = await newProject('Gone');
    const user_id = await newUser(id, 'Gone');
    const { key } = (await call<{ key: string }>('POST', `/projects/${id}/management-keys`, { user_id }))
      .body;
    expect((await managing(id, key)).status).to.equal(200);
    expect((await listing(id)).status).to.equal(200);
    expect(await call('DELETE', `/projects/${id}`)).to.deep.include({ status: 204, text: '' });
    expect((await listing(id)).status).to.equal(404);
    expect((await managing(id, key)).status).to.equal(404);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/items'],
      ['GET', '/sitemap'],
      ['DELETE', ''],
      ['GET', '/keys'],
    ] as const)
      expect((await call(method, `/projects/${id}${path}`)).status, `${method} ${path}`).to.equal(404);
    expect((await call('PUT', `/projects/${id}/restore`)).status).to.equal(204);
    expect((await call('PUT', `/projects/${id}/restore`)).status).to.equal(204);
    expect((await listing(id)).status).to.equal(200);
    expect((await call('PUT', `/projects/${UNKNOWN}/restore`)).status).to.equal(404);
  });

  it('turns secure access on and off; keys are shown once and can be replaced', async () => {
    const id = await newProject('Secured');
    const on = await call<{ enabled: boolean; primary: string; secondary: string }>(
      'PUT',
      `/projects/${id}/secure-access`,
      { enabled: true },
    );
    expect((await listing(id)).status).to.equal(401);
    for (const key of [on.body.primary, on.body.secondary])
      expect((await listing(id, key)).status).to.equal(200);
    expect((await call('PUT', `/projects/${id}/secure-access`, { enabled: true })).body).to.deep.equal({
      enabled: true,
    });
    const again = await call<{ key: string }>('POST', `/projects/${id}/keys/delivery-primary/regenerate`);
    expect((await listing(id, on.body.primary)).status).to.equal(401);
    expect((await listing(id, on.body.secondary)).status).to.equal(200);
    expect((await listing(id, again.body.key)).status).to.equal(200);
    const { text } = await call('GET', `/projects/${id}/keys`);
    for (const key of [on.body.secondary, again.body.key]) expect(text).not.to.include(key);
    expect((await call('POST', `/projects/${id}/keys/front-door/regenerate`)).status).to.equal(404);
    await call('PUT', `/projects/${id}/secure-access`, { enabled: false });
    expect((await listing(id)).status).to.equal(200);
  });

  it("makes and revokes users' management keys", async () => {
    const id = await newProject('Managed');
    const user = await newUser(id);
    const first = await call<{ key: string }>('PUT', `/projects/${id}/management-api`, {
      enabled: true,
      user_id: user,
    });
    expect((await managing(id, first.body.key)).status).to.equal(200);
    const made = await call<{ id: string; key: string; expires: string }>(
      'POST',
      `/projects/${id}/management-keys`,
      {
        user_id: user,
        expires_in_days: 10,
      },
    );
    expect(made.status).to.equal(201);
    expect(Date.parse(made.body.expires) - Date.now()).to.be.within(9.9 * 86_400_000, 10 * 86_400_000);
    expect((await call('DELETE', `/projects/${id}/management-keys/${made.body.id}`)).status).to.equal(204);
    expect((await managing(id, made.body.key)).status).to.equal(403);
    expect((await call('DELETE', `/projects/${id}/management-keys/${made.body.id}`)).status).to.equal(404);
    await call('PUT', `/projects/${id}/management-api`, { enabled: false });
    expect((await managing(id, first.body.key)).status).to.equal(403);
    const other = await newUser(await newProject('Other'), 'Otto');
    expect((await call('POST', `/projects/${id}/management-keys`, { user_id: other })).status).to.equal(404);
  });

  it('creates, changes and removes users, and revokes their keys', async () => {
    const id = await newProject('Staffed');
    const user = await newUser(id, 'Ulla');
    const key = await call<{ key: string }>('POST', `/projects/${id}/management-keys`, { user_id: user });
    const changed = await call('PATCH', `/users/${user}`, { name: 'Ulla B.' });
    expect(changed.body).to.deep.include({ name: 'Ulla B.', email: 'Ulla@example.org' });
    expect((await call('GET', `/users/${user}`)).body).to.deep.equal(changed.body);
    expect((await managing(id, key.body.key)).status).to.equal(200);
    expect((await call('DELETE', `/users/${user}`)).status).to.equal(204);
    expect((await managing(id, key.body.key)).status).to.equal(403);
    expect((await call('GET', `/users/${user}`)).status).to.equal(404);
    const { body } = await call<{ users: { id: string }[] }>('GET', '/users');
    expect(body.users.map((one) => one.id)).not.to.include(user);
  });

  it('revokes the keys of a user only for a project that the user leaves', async () => {
    const [former, kept] = [await newProject('Former'), await newProject('Kept')];
    const user = await newUser(former, 'Mona');
    const projects = [former, kept].map((id) => ({ id, capabilities: ['manage-apis'] }));
    await call('PATCH', `/users/${user}`, { projects });
    const keyOf = async (id: string) =>
      (await call<{ key: string }>('POST', `/projects/${id}/management-keys`, { user_id: user })).body.key;
    const [one, other] = [await keyOf(former), await keyOf(kept)];
    expect((await managing(former, one)).status).to.equal(200);
    await call('PATCH', `/users/${user}`, { projects: projects.slice(1) });
    expect((await managing(former, one)).status).to.equal(403);
    expect((await managing(kept, other)).status).to.equal(200);
  });

  const wrong: readonly [string, string, unknown, number, string?][] = [
    ['POST', '/projects', {}, 400, 'name'],
    ['POST', '/projects', { name: 'x', id: 'no guid' }, 400, 'id'],
    ['POST', '/projects', { name: 'x', default_language: 5 }, 400, 'default_language.name'],
    ['POST', '/projects', [], 400],
    ['POST', '/users', { name: '', email: 'nobody' }, 400, 'name'],
    ['POST', '/users', { name: 'a', email: 'a\0b@c' }, 400, 'email'],
    ['POST', '/users', { name: 'a', email: 'a@b', projects: [{ id: 5 }] }, 400, 'projects[0]'],
    ['POST', '/users', { name: 'a', email: 'a@b', projects: [{ id: UNKNOWN, capabilities: [] }] }, 404],
    [
      'POST',
      '/users',
      { name: 'a', email: 'a@b', projects: [{ id: UNKNOWN, capabilities: [{ toString: 1 }] }] },
      400,
      'projects[0]',
    ],
    ['PATCH', `/users/${UNKNOWN}`, { name: 'x' }, 404],
    ['PUT', `/projects/${UNKNOWN}/secure-access`, { enabled: true }, 404],
    ['PUT', `/projects/${UNKNOWN}/secure-access`, { enabled: 'yes' }, 400, 'enabled'],
    ['PUT', `/projects/${UNKNOWN}/management-api`, {}, 400, 'enabled'],
    ['POST', `/projects/${UNKNOWN}/management-keys`, {}, 400, 'user_id'],
    [
      'POST',
      `/projects/${UNKNOWN}/management-keys`,
      { user_id: 'u', expires_in_days: 0 },
      400,
      'expires_in_days',
    ],
    [
      'POST',
      `/projects/${UNKNOWN}/management-keys`,
      { user_id: 'u', expires_in_days: 2.5 },
      400,
      'expires_in_days',
    ],
    ['PUT', '/projects', {}, 405],
    ['GET', '/nothing/here', undefined, 404],
    ['GET', '/audit?after=yesterday', undefined, 400],
    ['GET', '/audit?limit=1000', undefined, 400],
  ];
  for (const [method, path, body, status, at] of wrong)
    it(`answers ${status} to ${method} ${path} ${JSON.stringify(body) ?? ''}`, async () => {
      const answer = await call<{ validation_errors?: { path?: string; line?: number }[] }>(
        method,
        path,
        body,
      );
      expect(answer.status).to.equal(status);
      if (at !== undefined) expect(answer.body.validation_errors?.map((one) => one.path)).to.include(at);
    });

  it('refuses an id in a sitemap that is no text', async () => {
    const nodes = [{ id: { toString: 1 }, name: 'Home' }];
    const answer = await call<{ validation_errors: readonly object[] }>(
      'PUT',
      `/projects/${await newProject('Mapped')}/sitemap`,
      { nodes },
    );
    expect(answer.status).to.equal(400);
    expect(answer.body.validation_errors[0]).to.include({ path: 'nodes[0].id' });
  });

  it('reports line and position of invalid JSON', async () => {
    const broken = await admin.request<{ validation_errors: object[] }>('POST', '/projects', {
      body: '{"name": }',
    });
    expect(broken.status).to.equal(400);
    expect(broken.body.validation_errors[0]).to.include({ line: 1 });
    const wrongField = await admin.request<{ validation_errors: object[] }>('POST', '/projects', {
      body: '{\n  "name": 5\n}',
    });
    expect(wrongField.body.validation_errors[0]).to.include({ path: 'name', line: 2 });
  });

  it('records who did what, from where, without refused requests', async () => {
    const watched = { name: 'Watched', key: 'of no known property' };
    const { id } = (await call<{ id: string }>('POST', '/projects', watched)).body;
    await call('PUT', `/projects/${id}/secure-access`, { enabled: true, key: 'of no known property' });
    await call('PUT', `/projects/${id}/secure-access`, { enabled: 5 });
    await call('GET', `/projects/${id}`);
    await call('DELETE', `/projects/${id}`);
    const { body, text } = await call<{
      audit: Record<string, unknown>[];
      pagination: { next: string | null };
    }>('GET', `/audit?project=${id}`);
    expect(body.audit.map(({ act }) => act)).to.deep.equal([
      'DELETE projects/:project',
      'PUT projects/:project/secure-access',
      'POST projects',
    ]);
    expect(body.audit[0]).to.deep.include({ project: id, actor: 'admin token', origin: '127.0.0.1' });
    expect(body.audit[1]).to.deep.include({ detail: '{"enabled":true}' });
    expect(body.audit[2]).to.deep.include({ subject: `projects/${id}`, detail: '{"name":"Watched"}' });
    expect(body.pagination.next).to.equal(null);
    expect(text).not.to.include('primary');

    const seen: unknown[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: { body: typeof body } = await call('GET', `/audit?project=${id}&limit=2&after=${next}`);
      seen.push(...page.body.audit);
      next = page.body.pagination.next;
    }
    expect(seen).to.deep.equal(body.audit);
  });
});
