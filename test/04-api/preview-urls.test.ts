/** What the console shows beside an item: preview URLs, framed pages, delivery and preview for the signed-in person. */
import { execFile } from 'node:child_process';
import { inspect, promisify } from 'node:util';
import { expect } from 'chai';
import {
  type ApiBases,
  type ApiCall,
  clientOf,
  consolePathOf,
  curlOf,
  fetchOf,
} from '../../plugins/console/app/parts/api-snippets.ts';
import { listingCalls, objectCalls } from '../../plugins/console/app/parts/object-calls.ts';
import type { ConsoleBrowser } from '../support/console/console-browser.ts';
import { SESSION_COOKIE } from '../support/console/console-browser.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { managementKey } from '../support/projects/manage-service.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const run = promisify(execFile);
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
  body: string,
) => () => Promise<unknown>;

interface Urls {
  readonly preview_urls: readonly {
    readonly type: { readonly id: string } | null;
    readonly language: { readonly id: string } | null;
    readonly url: string;
  }[];
}

interface Items {
  readonly items: readonly { readonly system: { readonly type: string; readonly language: string } }[];
  readonly modular_content: Readonly<Record<string, unknown>>;
}

describe('preview URLs', () => {
  let service: RunningService;
  let operator: ConsoleBrowser;
  let project: string;
  let type: string;
  let language: string;
  before(async () => {
    service = await startService({
      sample: true,
      environment: {
        HEADWATER_VENDOR_HEADER: 'KC',
        HEADWATER_VENDOR_MEDIA_TYPE: 'kenticocloud',
        HEADWATER_PLUGINS__SESSION__LIMITS__SECOND: '1000',
      },
    });
    project = service.sample!.projectId;
    ({ browser: operator } = await signInPerson(service, { name: 'Operator', isOperator: true }));
    const found = await operator.request<{
      items: { type: { id: string }; languages: { language: { id: string } }[] }[];
    }>('GET', `admin/projects/${project}/items?limit=1`);
    type = found.body.items[0]!.type.id;
    language = found.body.items[0]!.languages[0]!.language.id;
  });
  after(() => service.stop());

  const path = () => `admin/projects/${project}/preview-urls`;
  const put = (preview_urls: readonly unknown[], headers = {}) =>
    operator.request<Urls & { validation_errors?: { path: string }[] }>(
      'PUT',
      path(),
      { preview_urls },
      headers,
    );

  it('are replaced as a whole, and only as they were read', async () => {
    const urls = [
      { type: { id: type }, language: { id: language }, url: 'https://one.example/{Lang}/{URLslug}' },
      { type: null, language: null, url: 'http://localhost:3000/{Codename}?id={ItemId}' },
    ];
    const before = await operator.request<Urls>('GET', path());
    expect(before.body).to.deep.equal({ preview_urls: [] });
    const etag = before.headers.get('etag') ?? '';
    const first = await put(urls, { 'if-match': etag });
    expect(first.status).to.equal(200);
    expect(first.body).to.deep.equal({ preview_urls: urls });
    expect((await operator.request<Urls>('GET', path())).body).to.deep.equal({ preview_urls: urls });
    expect((await put([], { 'if-match': etag })).status).to.equal(412);
    const other = await put([urls[1]]);
    expect(other.body.preview_urls).to.have.length(1);
    expect((await put(urls)).body.preview_urls).to.have.length(2);
  });

  it('are refused where they are no web addresses, or name what does not exist', async () => {
    const nothing = '00000000-0000-4000-8000-000000000000';
    const of = (url: string, more: object = {}) => ({ type: null, language: null, url, ...more });
    const refused: readonly [unknown[], string][] = [
      [[of('javascript:alert(1)')], 'preview_urls[0].url'],
      [[of('https://{Codename}.example/')], 'preview_urls[0].url'],
      [[of('//host/')], 'preview_urls[0].url'],
      [[of('https://host;script-src *.example/')], 'preview_urls[0].url'],
      [[of('https://a.example/{Nothing}')], 'preview_urls[0].url'],
      [[of('https://a.example/\0')], 'preview_urls[0].url'],
      [[of('https://user:x@a.example/')], 'preview_urls[0].url'],
      [[of('https://a.example/', { type: { id: nothing } })], 'preview_urls[0].type'],
      [[of('https://a.example/', { language: { id: nothing } })], 'preview_urls[0].language'],
      [[of('https://a.example/'), of('https://b.example/')], 'preview_urls[1]'],
    ];
    for (const [urls, at] of refused) {
      const { status, body } = await put(urls);
      expect(status, JSON.stringify(urls)).to.equal(400);
      expect(body.validation_errors?.map((one) => one.path)).to.deep.equal([at]);
    }
  });

  it('and pages of custom elements are framed, no other origin', async () => {
    await put([{ type: null, language: null, url: 'https://one.example/{Codename}' }]);
    await operator.request('POST', `manage/projects/${project}/types`, {
      name: 'Framed',
      elements: [
        { type: 'custom', name: 'Colour', source_url: 'https://two.example:8443/pick.html?x=1' },
        { type: 'custom', name: 'None', source_url: 'nowhere' },
      ],
    });
    const origins = ['https://elements.example.org', 'https://one.example', 'https://two.example:8443'];
    expect((await operator.request('GET', `admin/projects/${project}/framed-origins`)).body).to.deep.equal({
      origins,
    });
    const frame = (url: string, cookie = operator.cookie) =>
      fetch(`${service.url}/console/frame/${project}?url=${encodeURIComponent(url)}`, {
        headers: { cookie: `${SESSION_COOKIE}=${cookie}` },
      });
    const answer = await frame('https://two.example:8443/pick.html?a="><script>');
    expect(answer.status).to.equal(200);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).to.include(`frame-src ${origins.join(' ')};`);
    expect(policy).to.include("default-src 'none';").and.include("frame-ancestors 'self'");
    const html = await answer.text();
    expect(html).to.include('src="https://two.example:8443/pick.html?a=&#34;&#62;&#60;script&#62;"');
    expect(html).to.include('sandbox="allow-scripts allow-forms allow-same-origin"');
    for (const url of ['https://three.example/', 'javascript:alert(1)', 'https://one.example.evil/', ''])
      expect((await frame(url)).status, url).to.equal(404);
    expect((await frame('https://one.example/', 'x'.repeat(43))).status).to.equal(401);
    const page = await fetch(`${service.url}/console/`);
    expect(page.headers.get('content-security-policy')).to.include("frame-src 'self';");
  });

  it('have origins of bounded length, in the header of a framed page as well', async () => {
    const of = (at: number, host = 'a'.repeat(60)) => ({
      type: null,
      language: null,
      url: `https://${host}.${at}.example/`,
    });
    const languages = await operator.request<{ languages: { id: string }[] }>(
      'GET',
      `manage/projects/${project}/languages`,
    );
    const types = await operator.request<{ types: { id: string }[] }>(
      'GET',
      `manage/projects/${project}/types`,
    );
    const pairs = types.body.types.flatMap((one) =>
      languages.body.languages.map(({ id }) => ({ type: { id: one.id }, language: { id } })),
    );
    const many = pairs.slice(0, 30).map((pair, at) => ({ ...of(at), ...pair }));
    expect(many.length).to.equal(30);
    const refused = await put(many);
    expect(refused.status).to.equal(400);
    expect(refused.body.validation_errors?.map((one) => one.path)).to.deep.equal(['preview_urls']);
    expect((await put(many.map((one) => ({ ...one, url: of(0).url })))).status).to.equal(200);
    for (const name of ['Many', 'More'])
      await operator.request('POST', `manage/projects/${project}/types`, {
        name,
        elements: Array.from({ length: 60 }, (_, at) => ({
          type: 'custom',
          name: `C${at}`,
          source_url: of(at, name.toLowerCase().repeat(15)).url,
        })),
      });
    const url = of(59, 'more'.repeat(15)).url;
    const framed = await fetch(`${service.url}/console/frame/${project}?url=${encodeURIComponent(url)}`, {
      headers: { cookie: `${SESSION_COOKIE}=${operator.cookie}` },
    });
    expect(framed.status).to.equal(200);
    const policy = framed.headers.get('content-security-policy') ?? '';
    expect(policy).to.include(new URL(url).origin);
    expect(policy.length).to.be.lessThan(4500);
  });

  it('stand beside a script for pages of custom elements', async () => {
    const answer = await fetch(`${service.url}/console/custom-element.js`);
    expect(answer.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    const script = await answer.text();
    for (const name of [
      'init',
      'setValue',
      'setHeight',
      'onDisabledChanged',
      'getElementValue',
      'observeElementChanges',
    ])
      expect(script).to.include(name);
    expect(script.length).to.be.lessThan(4000);
  });

  describe('delivery and preview for the signed-in person', () => {
    const withRole = async (name: string, permissions: readonly string[], limits: object = {}) => {
      const role = { codename: name.toLowerCase(), name, permissions, limits };
      const { body } = await operator.request<{ id: string }>('POST', 'admin/roles', role);
      const projects = [{ id: project, roles: [body.id] }];
      return (await signInPerson(service, { name, projects })).browser;
    };

    it('answer what the keys answer', async () => {
      for (const api of ['delivery', 'preview']) {
        const { status, body } = await operator.request<Items>('GET', `${api}/${project}/items?limit=2`);
        expect(status).to.equal(200);
        expect(body.items).to.have.length(2);
      }
    });

    it('need the permission to view content, and its limits', async () => {
      const none = await withRole('None', ['manage-types']);
      const list = (by: ConsoleBrowser, query: string) =>
        by.request<Items>('GET', `preview/${project}/items?${query}`);
      expect((await list(none, 'limit=1')).status).to.equal(403);
      const limited = await withRole('Limited', ['view-content'], {
        'view-content': { types: ['article'], languages: ['en'] },
      });
      expect((await list(limited, '')).status).to.equal(403);
      expect((await list(limited, 'language=de')).status).to.equal(403);
      // The model is no content.
      for (const name of ['types', 'taxonomies', 'languages'])
        expect((await limited.request('GET', `preview/${project}/${name}`)).status, name).to.equal(200);
      const { status, body } = await list(limited, 'language=en&depth=2');
      expect(status).to.equal(200);
      expect(body.items.length).to.be.greaterThan(1);
      expect(new Set(body.items.map(({ system }) => `${system.type} ${system.language}`))).to.deep.equal(
        new Set(['article en']),
      );
      const all = await operator.request<Items>('GET', `preview/${project}/items?language=en&depth=2`);
      expect(Object.keys(body.modular_content).length).to.be.lessThan(
        Object.keys(all.body.modular_content).length,
      );
      const unknown = await fetch(`${service.url}/console/api/preview/${project}/items`, {
        headers: { 'x-headwater-console': '1' },
      });
      expect(unknown.status).to.equal(401);
      expect((await operator.request('PUT', `preview/${project}/items`, {})).status).to.equal(405);
    });
  });

  describe('beside the requests of the APIs as text', () => {
    let bases: ApiBases;
    let keys: Readonly<Record<string, string>>;
    before(async () => {
      bases = {
        delivery: `${service.url}/delivery`,
        preview: `${service.url}/preview`,
        manage: `${service.url}/manage`,
        admin: `${service.url}/admin`,
        docs: '',
      };
      keys = {
        '<preview key>': service.sample!.keys!['preview-primary'],
        '<management key>': (await managementKey(service.core, project)).key,
        '<admin token>': service.adminToken,
      };
    });
    const withKeys = (text: string) => text.replace(/<\w+ (?:key|token)>/, (name) => keys[name] ?? name);

    /** Sends a request as the console does. @param id in the answer */
    async function isAnswered(call: ApiCall, id: string): Promise<unknown> {
      const { status, body } = await operator.request('GET', consolePathOf(call, project));
      expect(status, `${call.api} ${call.path}`).to.equal(200);
      expect(JSON.stringify(body), `${call.api} ${call.path}`).to.include(id);
      return body;
    }

    async function isSameAsText(call: ApiCall, wanted: unknown): Promise<void> {
      const { api, path } = call;
      const curl = await run('sh', ['-c', withKeys(curlOf(call, bases, project)).replace('curl', 'curl -s')]);
      expect(JSON.parse(curl.stdout), `curl of ${api} ${path}`).to.deep.equal(wanted);
      const fetched = await new AsyncFunction(`${withKeys(fetchOf(call, bases, project))}\nreturn body;`)();
      expect(fetched, `fetch of ${api} ${path}`).to.deep.equal(wanted);
    }

    async function isSameWithClient(call: ApiCall, id: string): Promise<void> {
      const code = clientOf(call, bases, project);
      if (code === undefined) return;
      const body = withKeys(code).replace(/import (\{.*?\}) from ('.*?');/, 'const $1 = await imported($2);');
      const imported = (name: string) => import(name);
      const made = (await new AsyncFunction(`return async (imported) => {${body}\nreturn response;}`)()) as (
        from: typeof imported,
      ) => Promise<unknown>;
      const shown = inspect(await made(imported), { depth: 5, maxArrayLength: null });
      expect(shown, `client of ${call.api} ${call.path}`).to.include(id);
    }

    it('has those of an item, which answer the same', async () => {
      const { body } = await operator.request<
        Items & { items: { system: { id: string; codename: string } }[] }
      >('GET', `delivery/${project}/items?language=en&limit=1`);
      const { id, codename } = body.items[0]!.system;
      const item = `/items/${codename}?language=en`;
      const client = `.item(${JSON.stringify(codename)}).languageParameter("en")`;
      const calls: readonly ApiCall[] = [
        { api: 'delivery', path: item, client },
        { api: 'preview', path: item, client },
        {
          api: 'manage',
          path: `/items/${id}/variants/${language}`,
          client: `.viewLanguageVariant().byItemId("${id}").byLanguageId("${language}")`,
        },
        { api: 'admin', path: `/items/${id}?text=it's` },
      ];
      for (const call of calls) {
        await isSameAsText(call, await isAnswered(call, id));
        await isSameWithClient(call, id);
      }
    });

    it('has those of the model, assets and webhooks, and of their lists', async () => {
      await operator.request('POST', `manage/projects/${project}/webhooks`, {
        name: 'Site',
        url: 'https://example.org/hook',
        triggers: { delivery_api_content_changes: [], workflow_step_changes: [] },
      });
      const read = async (path: string, name?: string) => {
        const { body } = await operator.request<Record<string, unknown>>(
          'GET',
          `manage/projects/${project}/${path}`,
        );
        const [first] = (name === undefined ? body : body[name]) as { id: string; codename?: string }[];
        return first!;
      };
      const objects = {
        assets: await read('assets', 'assets'),
        types: await read('types', 'types'),
        taxonomies: await read('taxonomies', 'taxonomies'),
        languages: await read('languages', 'languages'),
        webhooks: await read('webhooks'),
      };
      for (const [name, object] of Object.entries(objects)) {
        const kind = name as keyof typeof objects;
        const hasAdminListing = kind === 'assets' || kind === 'webhooks';
        const calls = [...listingCalls(kind, hasAdminListing ? '' : undefined), ...objectCalls(kind, object)];
        for (const call of calls) {
          await isAnswered(call, object.id);
          await isSameWithClient(call, object.id);
        }
      }
    });
  });
});
