import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { open as connect, get, rawRequest, readAll } from '../support/clients/raw-http.ts';
import { ADMIN_TOKEN, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { isLongForm } from '../support/long-form.ts';
import { until } from '../support/until.ts';

const { open, secured, unknown } = PROJECTS;

interface Case {
  readonly what: string;
  readonly path: string;
  /** Token, or the whole header when it holds a space. */
  readonly key?: string;
  readonly status: number;
  readonly code?: number;
}

const manage = (project: string) => `/manage/v2/projects/${project}/items`;

const cases: readonly Case[] = [
  // spec 5.3: delivery asks for a key only with secure access
  { what: 'open delivery without key', path: `/delivery/${open}/items`, status: 200 },
  { what: 'open delivery with any header', path: `/delivery/${open}/items`, key: 'nonsense', status: 200 },
  { what: 'open delivery, id in capitals', path: `/delivery/${open.toUpperCase()}/items`, status: 200 },
  { what: 'secured delivery without key', path: `/delivery/${secured}/items`, status: 401, code: 3 },
  {
    what: 'secured delivery with its key',
    path: `/delivery/${secured}/items`,
    key: 'secured-delivery-primary',
    status: 200,
  },
  { what: 'secured delivery, wrong key', path: `/delivery/${secured}/items`, key: 'x', status: 401, code: 3 },
  {
    what: 'secured delivery, preview key',
    path: `/delivery/${secured}/items`,
    key: 'secured-preview-primary',
    status: 401,
    code: 3,
  },
  {
    what: 'secured delivery, key of another project',
    path: `/delivery/${secured}/items`,
    key: 'open-delivery-primary',
    status: 403,
    code: 4,
  },
  {
    what: 'secured delivery, revoked key',
    path: `/delivery/${secured}/items`,
    key: 'revoked-delivery',
    status: 401,
    code: 3,
  },
  { what: 'delivery of an unknown project', path: `/delivery/${unknown}/items`, status: 404, code: 1 },

  // spec 5.4: preview always
  { what: 'preview without key', path: `/preview/${open}/items`, status: 401, code: 3 },
  { what: 'preview with its key', path: `/preview/${open}/items`, key: 'open-preview-primary', status: 200 },
  {
    what: 'preview, delivery key',
    path: `/preview/${open}/items`,
    key: 'open-delivery-primary',
    status: 401,
    code: 3,
  },
  {
    what: 'preview, key of another project',
    path: `/preview/${open}/items`,
    key: 'secured-preview-primary',
    status: 403,
    code: 4,
  },
  { what: 'preview of an unknown project, no key', path: `/preview/${unknown}/items`, status: 401, code: 3 },
  {
    what: 'preview of an unknown project, valid key',
    path: `/preview/${unknown}/items`,
    key: 'open-preview-primary',
    status: 403,
    code: 4,
  },

  // spec 5.5 to 5.7: management always, revoked is 403
  { what: 'management without key', path: manage(open), status: 401, code: 3 },
  { what: 'management with its key', path: manage(open), key: 'open-management', status: 200 },
  { what: 'management, unknown key', path: manage(open), key: 'x', status: 401, code: 3 },
  { what: 'management, preview key', path: manage(open), key: 'open-preview-primary', status: 401, code: 3 },
  { what: 'management, other project', path: manage(secured), key: 'open-management', status: 403, code: 4 },
  {
    what: 'management, unknown project',
    path: manage(unknown),
    key: 'open-management',
    status: 403,
    code: 4,
  },
  { what: 'management, revoked key', path: manage(open), key: 'revoked-management', status: 403, code: 7 },
  { what: 'management, expired key', path: manage(open), key: 'expired-management', status: 403, code: 7 },
  {
    what: 'management, no project',
    path: '/manage/v2/nothing',
    key: 'open-management',
    status: 404,
    code: 1,
  },
  { what: 'management v1', path: `/manage/v1/projects/${open}/items`, key: 'open-management', status: 200 },
  {
    what: 'management v1.0',
    path: `/manage/v1.0/projects/${open}/items`,
    key: 'open-management',
    status: 200,
  },
  {
    what: 'management unversioned',
    path: `/manage/projects/${open}/items`,
    key: 'open-management',
    status: 200,
  },

  { what: 'assets need no key', path: `/assets/${secured}/file/a.png`, status: 200 },
  { what: 'assets of an unknown project', path: `/assets/${unknown}/file/a.png`, status: 404, code: 1 },

  { what: 'admin without token', path: '/admin/projects', status: 401, code: 3 },
  { what: 'admin, a management key', path: '/admin/projects', key: 'open-management', status: 401, code: 3 },
  { what: 'admin with its token', path: '/admin/projects', key: ADMIN_TOKEN, status: 200 },

  // spec 5.2, RFC 9110 section 11: the forms of a header
  { what: 'scheme in lower case', path: manage(open), key: 'bearer open-management', status: 200 },
  { what: 'scheme in capitals', path: manage(open), key: 'BEARER open-management', status: 200 },
  { what: 'several spaces', path: manage(open), key: 'Bearer   open-management', status: 200 },
  { what: 'no token', path: manage(open), key: 'Bearer ', status: 401, code: 3 },
  { what: 'two tokens', path: manage(open), key: 'Bearer open-management x', status: 401, code: 3 },
  { what: 'another scheme', path: manage(open), key: 'Basic b3BlbjptYW5hZ2VtZW50', status: 401, code: 3 },
  { what: 'a token of 8 kB', path: manage(open), key: 'x'.repeat(8192), status: 401, code: 3 },
];

describe('access by key', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ unlimited: true });
    const { keys } = gateway.core;
    const base = { project: secured, user: null, expires: null, revoked: true };
    keys.set('revoked-delivery', { ...base, id: 'r-d', kind: 'delivery-primary' });
    const management = { ...base, project: open, kind: 'management' as const, user: 'u' };
    keys.set('revoked-management', { ...management, id: 'r-m' });
    keys.set('expired-management', {
      ...management,
      id: 'e-m',
      revoked: false,
      expires: '2001-01-01T00:00:00.000Z',
    });
  });
  after(() => gateway.end());

  const call = (path: string, key?: string) =>
    fetch(gateway.urls.http + path, {
      headers: key === undefined ? {} : { authorization: key.includes(' ') ? key : `Bearer ${key}` },
    });

  for (const { what, path, key, status, code } of cases) {
    it(`${what}: ${status}${code === undefined ? '' : ` (${code})`}`, async () => {
      const answer = await call(path, key);
      const body = (await answer.json()) as Record<string, unknown>;
      expect(answer.status, JSON.stringify(body)).to.equal(status);
      if (code !== undefined) expect(body['error_code']).to.equal(code);
      if (status === 401) expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
      const isManagement = /^\/(manage|admin)/.test(path);
      if (status !== 200) expect('specific_code' in body, 'shape of the body').to.equal(!isManagement);
    });
  }

  it('the management API that is not enabled: 403 with a key, 401 without', async () => {
    const facts = gateway.core.projects.get(open)!;
    const changed = () => gateway.core.emit({ project: open, tags: [`project:${open}`] });
    gateway.core.projects.set(open, { ...facts, managementApi: false });
    changed();
    expect((await call(manage(open), 'open-management')).status).to.equal(403);
    expect((await call(manage(open))).status).to.equal(401);
    gateway.core.projects.set(open, facts);
    changed();
    expect((await call(manage(open), 'open-management')).status).to.equal(200);
  });

  it('takes no admin token that is one of several Authorization headers, on any surface', async () => {
    const strict = await runGateway({ plugins: { metrics: { loopback: false } } });
    const statuses: [string, number, number][] = [];
    for (const path of ['/admin/projects', '/health', '/metrics']) {
      const one = get(path, { authorization: `Bearer ${ADMIN_TOKEN}` });
      const two = one.replace('\r\n\r\n', '\r\nAuthorization: Bearer other\r\n\r\n');
      const [answer, refused] = [
        await rawRequest(strict.urls.http, one),
        await rawRequest(strict.urls.http, two),
      ];
      statuses.push([path, answer.status, refused.status]);
    }
    await strict.end();
    expect(statuses).to.deep.equal([
      ['/admin/projects', 200, 401],
      ['/health', 200, 401],
      ['/metrics', 200, 401],
    ]);
  });

  it('sends core the principal, never the key', async () => {
    await call(manage(open), 'open-management');
    const request = gateway.core.requests.at(-1)!;
    const principal = { kind: 'key', key: 'id-open-management', keyKind: 'management', user: 'user-1' };
    expect(request.principal).to.deep.equal(principal);
    expect(JSON.stringify(request)).to.not.include('"open-management');
    expect(request.headers).to.not.have.property('authorization');
  });

  it('reports the ids of accepted keys to core, and of no refused one', async () => {
    gateway.core.usedKeys.length = 0;
    await call(manage(open), 'open-management');
    await call(manage(secured), 'open-management');
    await call(manage(open), 'revoked-management');
    await call(`/preview/${open}/items`, 'open-preview-primary');
    // Reported after the response is sent, so the client may have it first.
    await until(() => gateway.core.usedKeys.length > 1);
    await pause(20);
    expect(gateway.core.usedKeys).to.deep.equal(['id-open-management', 'id-open-preview-primary']);
  });

  it('looks a key up once, whatever else changes, until the key itself changes', async () => {
    const path = `/preview/${open}/items`;
    await call(path, 'open-preview-primary');
    const before = { ...gateway.core.lookups };
    for (let change = 0; change < 100; change += 1) {
      gateway.core.emit({ project: open, tags: [`item:item_${change}`, 'type:article', 'language'] });
      gateway.core.emit({ project: secured, tags: [`project:${secured}`, 'key:somebody-else'] });
      expect((await call(path, 'open-preview-primary')).status).to.equal(200);
    }
    expect(gateway.core.lookups).to.deep.equal(before);
    gateway.core.emit({ project: open, tags: ['key:id-open-preview-primary'] });
    await call(path, 'open-preview-primary');
    expect(gateway.core.lookups).to.deep.equal({ ...before, keys: before.keys + 1 });
    gateway.core.emit({ project: open, tags: [`project:${open}`] });
    await call(path, 'open-preview-primary');
    expect(gateway.core.lookups).to.deep.equal({ projects: before.projects + 1, keys: before.keys + 1 });
  });

  it('looks an unknown token up once, until any project gets a key', async () => {
    const path = `/preview/${open}/items`;
    const before = gateway.core.lookups.keys;
    for (let round = 0; round < 5; round += 1) {
      gateway.core.emit({ project: open, tags: ['item:any', 'key:id-open-preview-primary'] });
      expect((await call(path, 'not-yet')).status).to.equal(401);
    }
    expect(gateway.core.lookups.keys).to.equal(before + 1);
    const facts = gateway.core.keys.get('open-preview-primary')!;
    gateway.core.keys.set('not-yet', { ...facts, id: 'n-y', project: secured });
    gateway.core.emit({ project: secured, tags: ['key:n-y', `keys:${secured}`] });
    expect((await call(path, 'not-yet')).status).to.equal(403);
  });

  it('a restore invalidates all cached keys', async () => {
    await call(`/preview/${open}/items`, 'open-preview-primary');
    const before = { ...gateway.core.lookups };
    gateway.core.emit({ project: null, epoch: 'another', tags: ['projects', 'users'] });
    await call(`/preview/${open}/items`, 'open-preview-primary');
    expect(gateway.core.lookups).to.deep.equal({ projects: before.projects + 1, keys: before.keys + 1 });
  });

  const requests = isLongForm ? 500 : 100;
  it(`${requests} requests with a key that is not cached are one lookup`, async () => {
    gateway.core.emit({ project: open, tags: ['key:id-open-preview-primary'] });
    const before = gateway.core.lookups.keys;
    const answers = await Promise.all(
      Array.from({ length: requests }, () => call(`/preview/${open}/items`, 'open-preview-primary')),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(gateway.core.lookups.keys).to.equal(before + 1);
  });

  it('a regenerated key is invalid from the change on, and the new one valid', async () => {
    const path = `/preview/${open}/items`;
    expect((await call(path, 'open-preview-primary')).status).to.equal(200);
    expect((await call(path, 'brand-new')).status).to.equal(401);
    const facts = gateway.core.keys.get('open-preview-primary')!;
    gateway.core.keys.set('open-preview-primary', { ...facts, revoked: true });
    gateway.core.keys.set('brand-new', { ...facts, id: 'new' });
    gateway.core.emit({ project: open, tags: [`key:${facts.id}`, 'key:new', `keys:${open}`] });
    expect((await call(path, 'open-preview-primary')).status).to.equal(401);
    expect((await call(path, 'brand-new')).status).to.equal(200);
  });

  describe('on one connection', () => {
    const authorization = (key: string) => `Authorization: Bearer ${key}\r\n`;
    const request = (path: string, more: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const statuses = (text: string) =>
      [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

    it('each request is judged by its own header', async () => {
      const path = `/delivery/${secured}/items`;
      const right = authorization('secured-delivery-primary');
      const steps: readonly [string, number][] = [
        [right, 200],
        [right, 200],
        [authorization('secured-delivery-primarx'), 401],
        [authorization('secured-delivery-primary '), 200],
        [authorization('secured-delivery-primar'), 401],
        [right + right, 401],
        ['', 401],
        ['Authorization: Basic secured-delivery-primary\r\n', 401],
        [authorization('revoked-delivery'), 401],
        [authorization('open-delivery-primary'), 403],
        [right, 200],
      ];
      const bytes = steps.map(([more]) => request(path, more)).join('');
      const answered = await rawText(bytes + get('/health/live'));
      expect(statuses(answered)).to.deep.equal([...steps.map(([, status]) => status), 200]);
    });

    it('a key ends with its regeneration, also where the connection presented it before', async () => {
      const path = `/delivery/${secured}/items`;
      const { keys } = gateway.core;
      const key = 'secured-delivery-primary';
      const facts = keys.get(key)!;
      const socket = await connect(gateway.urls.http);
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      const closed = readAll(socket);
      socket.write(request(path, authorization(key)).repeat(2));
      await until(() => statuses(text).length === 2);
      keys.delete(key);
      gateway.core.emit({ project: secured, tags: [`key:${facts.id}`, `keys:${secured}`] });
      socket.write(request(path, authorization(key)) + get('/health/live'));
      await closed;
      expect(statuses(text)).to.deep.equal([200, 200, 401, 200]);
    });

    async function rawText(bytes: string): Promise<string> {
      const socket = await connect(gateway.urls.http);
      socket.write(bytes);
      return (await readAll(socket)).toString('latin1');
    }
  });
});
