import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { CoreRequest } from '../../core/contract.ts';
import { get, rawRequest } from '../support/clients/raw-http.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';

const P = PROJECTS.open;

describe('surfaces over HTTP', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ settings: { allowedHosts: ['content.example.org', '*.example.net'] } });
  });
  after(() => gateway.end());

  async function requestInCore(
    path: string,
    host: string,
    headers = {},
    at = gateway,
  ): Promise<CoreRequest | undefined> {
    const before = at.core.requests.length;
    await rawRequest(at.urls.http, get(path, { Host: host, ...headers }));
    return at.core.requests.at(before);
  }

  const places: [string, string, string, CoreRequest['surface'], string][] = [
    ['by prefix', `/delivery/${P}/items`, 'localhost', 'delivery', `/${P}/items`],
    ['by prefix on any known host', `/delivery/${P}/items`, 'a.example.net', 'delivery', `/${P}/items`],
    ['by host', `/${P}/items`, 'deliver.localhost', 'delivery', `/${P}/items`],
    ['by host with port', `/${P}/items`, 'deliver.localhost:8080', 'delivery', `/${P}/items`],
    ['by host in capitals', `/${P}/items`, 'Deliver.LocalHost', 'delivery', `/${P}/items`],
    ['by prefix on the host of another', `/assets/${P}/f/a`, 'deliver.localhost', 'assets', `/${P}/f/a`],
    ['with // behind the prefix', `/delivery//${P}/items`, 'localhost', 'delivery', `/${P}/items`],
    ['with // in front', `//delivery/${P}///items`, 'localhost', 'delivery', `/${P}/items`],
    ['with a slash at the end', `/delivery/${P}/items/`, 'localhost', 'delivery', `/${P}/items`],
    [
      'with encoded characters',
      `/delivery/${P}/items/a%2Fb%20c`,
      'localhost',
      'delivery',
      `/${P}/items/a%2Fb%20c`,
    ],
    ['by host, encoded', `/${P}/items/%C3%A9`, 'deliver.localhost', 'delivery', `/${P}/items/%C3%A9`],
  ];
  for (const [what, path, host, surface, expected] of places) {
    it(`are found ${what}, and the path stays encoded`, async () => {
      expect(await requestInCore(path, host)).to.include({ surface, path: expected });
    });
  }

  it('are found for each request of a connection, also where it repeats a path on another host', async () => {
    const { port } = new URL(gateway.urls.http);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const found: unknown[] = [];
    for (const [path, Host] of [
      [`/${P}/items`, 'deliver.localhost'],
      [`/${P}/items`, 'localhost'],
      [`/${P}/items`, 'deliver.localhost'],
      [`/delivery/${P}/types`, 'deliver.localhost'],
    ]) {
      const before = gateway.core.requests.length;
      const [answer] = (await once(request({ port, path, agent, headers: { Host } }).end(), 'response')) as [
        IncomingMessage,
      ];
      await text(answer);
      const { surface, path: rest } = gateway.core.requests.at(before) ?? {};
      found.push([surface, rest, answer.statusCode === 404]);
    }
    agent.destroy();
    expect(found).to.deep.equal([
      ['delivery', `/${P}/items`, false],
      [undefined, undefined, true],
      ['delivery', `/${P}/items`, false],
      ['delivery', `/${P}/types`, false],
    ]);
  });

  it('pass the query unchanged', async () => {
    const query = 'system.type[in]=a,b&elements.x%5Blt%5D=1&a=%zz&&order=';
    expect(await requestInCore(`/delivery/${P}/items?${query}`, 'localhost')).to.include({ query });
  });

  it('a path that only starts with the text of a prefix has no surface', async () => {
    const answer = await rawRequest(gateway.urls.http, get('/deliveryx/a'));
    expect(answer.status).to.equal(404);
  });

  describe('the public base', () => {
    const bases: [string, string, string, string, string][] = [
      [
        'is scheme, host and prefix of the request',
        `/delivery/${P}/items`,
        'localhost:1',
        'http://localhost:1/delivery',
        'http://localhost:1/assets',
      ],
      [
        'has no prefix where the host is the surface',
        `/${P}/items`,
        'deliver.localhost:1',
        'http://deliver.localhost:1',
        'http://deliver.localhost:1/assets',
      ],
      [
        'believes allowed hosts',
        `/delivery/${P}/items`,
        'content.example.org',
        'http://content.example.org/delivery',
        'http://content.example.org/assets',
      ],
      [
        'believes allowed domains',
        `/delivery/${P}/items`,
        'a.b.example.net',
        'http://a.b.example.net/delivery',
        'http://a.b.example.net/assets',
      ],
      [
        'believes the address it listens on',
        `/delivery/${P}/items`,
        '127.0.0.1:99',
        'http://127.0.0.1:99/delivery',
        'http://127.0.0.1:99/assets',
      ],
    ];
    for (const [what, path, host, self, assets] of bases) {
      it(what, async () => expect((await requestInCore(path, host))?.bases).to.deep.equal({ self, assets }));
    }

    // A forwarded request without allowedHosts is answered on any host.
    const unknownHosts = [
      'evil.example',
      '192.0.2.7',
      'localhost.evil.example',
      'a@localhost',
      'localhost/x',
      '[::2]:80',
      'x"y',
    ];
    for (const host of unknownHosts) {
      it(`is the listener's own for the host ${host}`, async () => {
        const open = await runGateway({ plugins: { 'https-only': { required: false } } });
        const request = await requestInCore(
          `/delivery/${P}/items`,
          host,
          { 'X-Forwarded-For': '203.0.113.9' },
          open,
        );
        expect(request?.bases.self).to.equal(`${open.urls.http}/delivery`);
        await open.end();
      });
    }

    it('ignores forwarding headers of untrusted peers', async () => {
      const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'content.example.org' };
      const open = await runGateway({ plugins: { 'https-only': { required: false } } });
      const request = await requestInCore(`/delivery/${P}/items`, 'localhost', headers, open);
      expect(request?.bases.self).to.equal('http://localhost/delivery');
      await open.end();
    });

    it('follows those of trusted proxies where the host is allowed', async () => {
      const behind = await runGateway({
        settings: { trustedProxies: ['127.0.0.1'], allowedHosts: ['content.example.org'] },
      });
      const self = async (host: string) => {
        const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': host };
        return (await requestInCore(`/delivery/${P}/items`, 'inner', headers, behind))?.bases.self;
      };
      expect(await self('content.example.org')).to.equal('https://content.example.org/delivery');
      expect(await self('evil.example')).to.equal(undefined);
      await behind.end();
    });

    it('is the configured public URL where there is one', async () => {
      const configured = await runGateway({
        settings: { surfaces: { assets: { publicUrl: 'https://cdn.example.org/media' } } },
      });
      const request = await requestInCore(`/delivery/${P}/items`, 'localhost', {}, configured);
      expect(request?.bases.assets).to.equal('https://cdn.example.org/media');
      const own = await requestInCore(`/delivery/${P}/items`, 'cdn.example.org', {}, configured);
      expect(own?.bases.self).to.equal('http://cdn.example.org/delivery');
      await configured.end();
    });
  });

  it('have the addresses of the settings', async () => {
    const moved = await runGateway({
      settings: {
        surfaces: {
          delivery: { prefix: '/api/content', hosts: ['api.test'] },
          preview: { prefix: '/api/content/preview' },
        },
      },
    });
    expect(await requestInCore(`/api/content/${P}/items`, 'localhost', {}, moved)).to.include({
      surface: 'delivery',
    });
    const key = { Authorization: 'Bearer open-preview-primary' };
    const preview = await requestInCore(`/api/content/preview/${P}/items`, 'localhost', key, moved);
    expect(preview).to.include({ surface: 'preview', path: `/${P}/items` });
    expect(await requestInCore(`/${P}/items`, 'api.test', {}, moved)).to.include({ surface: 'delivery' });
    expect(await requestInCore(`/delivery/${P}/items`, 'localhost', {}, moved)).to.equal(undefined);
    await moved.end();
  });
});
