import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../config/load-config.ts';
import { loadSample } from '../../core/sample/load-sample.ts';
import { schemasOf } from '../../gateway/cli/configure.ts';
import { type RunningService, startAll } from '../../gateway/roles/all.ts';
import { plugins } from '../../plugins/registry.ts';
import { type ApiClient, createApiClient } from '../support/clients/api-client.ts';
import type { DocumentedSurface } from '../support/clients/openapi-conformance.ts';

const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<
    string,
    { readonly 'x-surface': DocumentedSurface; readonly get: { readonly operationId: string } }
  >;
}
interface Model {
  readonly system: { readonly codename: string };
  readonly elements: Readonly<Record<string, unknown>>;
}

/** The client refuses every answer that does not conform, so most tests only send requests. */
describe('The description of the API, compared with the service with the sample project', () => {
  let folder: string;
  let service: RunningService;
  let origin: string;
  let project: string;
  let delivery: ApiClient;
  let preview: ApiClient;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-openapi-'));
    const environment = {
      HEADWATER_DATA_DIR: folder,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
      HEADWATER_LOG_LEVEL: 'warn',
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, 'access.log'),
    };
    const schemas = schemasOf(plugins);
    const config = await loadConfig({ environment }, schemas);
    let previewKey = '';
    service = await startAll({
      config,
      plugins,
      async beforeListening({ operations }) {
        const loaded = await loadSample(operations);
        project = loaded.projectId;
        previewKey = loaded.keys!['preview-primary'];
      },
    });
    origin = service.urls.http;
    delivery = createApiClient(`${origin}/delivery/${project}`, { surface: 'delivery' });
    preview = createApiClient(`${origin}/preview/${project}`, {
      surface: 'preview',
      headers: { authorization: `Bearer ${previewKey}` },
    });
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  const list = async (client: ApiClient, collection: string, query = ''): Promise<readonly Model[]> =>
    (await client.get<Record<string, Model[]>>(`/${collection}${query}`)).body[collection]!;

  it('names this server, and no operation that it does not answer', async () => {
    const document = (await createApiClient(`${origin}/docs`).get<Document>('/openapi.json')).body;
    expect(document.servers).to.deep.equal([{ url: origin }]);
    const items = await list(delivery, 'items');
    const [type] = await list(delivery, 'types');
    const [group] = await list(delivery, 'taxonomies');
    const file = /\/assets(\/[^"\\]+)/.exec(JSON.stringify(items))![1]!;
    const codenames: Record<string, string> = {
      items: items[0]!.system.codename,
      types: type!.system.codename,
      taxonomies: group!.system.codename,
    };
    const answered: string[] = [];
    for (const [template, { 'x-surface': surface, get }] of Object.entries(document.paths)) {
      // Those that write, or need a person, have tests of their own.
      if (surface === 'admin' || surface === 'manage' || surface === 'console') continue;
      const path = template
        .replace('/{project_id}/{file_id}/{file_name}', file)
        .replace('{project_id}', project)
        .replace('{type_codename}', codenames['types']!)
        .replace('{element_codename}', Object.keys(type!.elements)[0]!)
        .replace('{codename}', codenames[template.split('/')[3]!]!);
      const headers = surface === 'preview' ? preview.headers : { authorization: `Bearer ${ADMIN_TOKEN}` };
      const { status } = await createApiClient(origin, { surface, headers }).get(path);
      answered.push(`${get.operationId} ${status}`);
    }
    expect(answered.filter((line) => !line.endsWith(' 200'))).to.deep.equal([]);
    expect(answered).to.have.length(25);
  });

  it('fits every item with its linked items, in each language, on both surfaces', async () => {
    for (const client of [delivery, preview]) {
      const languages = await list(client, 'languages');
      expect(languages).to.have.length(3);
      for (const { system } of languages) {
        const items = await list(client, 'items', `?depth=6&language=${system.codename}`);
        expect(items.length).to.be.greaterThan(30);
      }
      const first = await list(client, 'items');
      for (const { system } of first) await client.get(`/items/${system.codename}?depth=3`);
    }
  });

  it('fits every type, element and taxonomy group', async () => {
    for (const { system, elements } of await list(delivery, 'types')) {
      await delivery.get(`/types/${system.codename}`);
      for (const element of Object.keys(elements)) {
        const { status } = await delivery.get(`/types/${system.codename}/elements/${element}`);
        expect(status, element).to.equal(200);
      }
    }
    for (const { system } of await list(delivery, 'taxonomies'))
      await delivery.get(`/taxonomies/${system.codename}`);
  });

  it('fits the files of assets in items', async () => {
    const assets = createApiClient(`${origin}/assets`);
    const urls = JSON.stringify(await list(delivery, 'items')).matchAll(/"url":"([^"]+)"/g);
    for (const url of new Set([...urls].map((match) => match[1]!))) {
      expect((await assets.get(url)).status, url).to.equal(200);
    }
  });

  it('fits the refusals', async () => {
    const calls: readonly (readonly [number, string])[] = [
      [400, '/items?limit=0'],
      [400, '/items?skip=-1'],
      [400, '/items?limit=1&limit=2'],
      [400, '/items?limit[lt]=3'],
      [400, '/items?elements='],
      [400, '/items?order=title'],
      [400, '/items?order=system.name[up]'],
      [400, '/items?order=system.name&order=system.id'],
      [400, '/items?elements.title[like]=a'],
      [400, '/items?elements.title[range]=a'],
      [400, '/items?a=%zz'],
      [404, '/items/none'],
      [404, '/types/none'],
      [404, '/types/place/elements/none'],
      [404, '/taxonomies/none'],
      [404, '/constructor'],
      [404, '/items/a/b'],
      [414, `/items?${'a'.repeat(100_000)}`],
    ];
    for (const [status, path] of calls) {
      expect((await delivery.get(path)).status, path.slice(0, 60)).to.equal(status);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await delivery.request(method, '/items')).status, method).to.equal(405);
    }
    const anonymous = createApiClient(`${origin}/preview/${project}`, { surface: 'preview' });
    expect((await anonymous.get('/items')).status).to.equal(401);
    const nowhere = createApiClient(origin, { surface: 'none' });
    expect((await nowhere.get('/nowhere')).status).to.equal(404);
  });
});
