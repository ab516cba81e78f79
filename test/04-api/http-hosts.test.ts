/** Which hosts a request may name: DNS rebinding, and services that list their hosts. */
import { once } from 'node:events';
import { connect } from 'node:http2';
import { expect } from 'chai';
import { get, rawRequest } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const PATHS = [ITEMS, '/metrics', '/docs', '/docs/openapi.json', '/admin/projects', '/nowhere'];
const OUTSIDE = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' };

const LOOPBACK = [
  'localhost',
  'LOCALHOST:8080',
  'localhost.',
  'localhost.:80',
  'deliver.localhost',
  'anything.localhost:1',
  'a.b.localhost.',
  '127.0.0.1',
  '127.0.0.1:99',
  '127.9.9.9',
  '192.0.2.7',
  '[::1]',
  '[::1]:8080',
  '[2001:db8::7]',
  '[fe80::1%25eth0]:80',
  '[::ffff:127.0.0.1]',
];
const FOREIGN = [
  'evil.example',
  'evil.example:8080',
  'localhost.evil.example',
  'notlocalhost',
  'localhost..',
  '127.0.0.1.evil.example',
  '127.1',
  '2130706433',
  '0x7f000001',
  '256.0.0.1',
  '[::g]',
  '[evil.example]',
  'a@localhost',
  'localhost@evil.example',
  'localhost/x',
  'localhost, evil.example',
  'x"y',
  ' ',
];

describe('hosts of a request', () => {
  describe('from a client on this machine, without a proxy', () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await runGateway({
        tls: true,
        settings: { surfaces: { assets: { publicUrl: 'https://cdn.example.org/media' } } },
      });
      gateway.core.answer = () => json({});
    });
    after(() => gateway.end());
    const ask = async (path: string, host: string, headers = {}) =>
      rawRequest(gateway.urls.http, get(path, { Host: host, ...headers }));

    for (const host of [...LOOPBACK, 'cdn.example.org', 'CDN.example.org.:443']) {
      it(`${host} is known`, async () => {
        for (const path of [ITEMS, '/metrics', '/docs/openapi.json'])
          expect((await ask(path, host)).status, path).to.equal(200);
      });
    }

    for (const host of FOREIGN) {
      it(`${JSON.stringify(host)} is a 421 everywhere except at /health`, async () => {
        for (const path of PATHS) expect((await ask(path, host)).status, path).to.equal(421);
        expect((await ask('/health/live', host)).status).to.equal(200);
        expect((await ask('/health/ready', host)).status).to.equal(200);
        expect((await ask('/health', host)).status).to.equal(401);
      });
    }

    it('is refused with the documented body, which names the setting and the request id, and a line in the log', async () => {
      const before = gateway.core.requests.length;
      for (const path of [ITEMS, '/admin/projects']) {
        const { headers, body, status } = await ask(path, 'evil.example');
        const parsed = JSON.parse(body) as Record<string, unknown>;
        expect(status).to.equal(421);
        expect(parsed['error_code']).to.equal(2);
        expect(parsed['message']).to.include('evil.example').and.to.include('allowedHosts');
        expect(parsed['request_id']).to.equal(headers['x-request-id']);
        expect(headers).to.not.have.property('access-control-allow-origin');
      }
      expect(gateway.core.requests.length).to.equal(before);
      const page = (await ask('/metrics', 'localhost')).body;
      expect(page).to.match(/requests_total\{surface="delivery",method="GET",status="421"\} \d/);
    });

    it('is refused for every method, and also where the response is cached', async () => {
      await ask(`${ITEMS}?limit=1`, 'localhost');
      expect((await ask(`${ITEMS}?limit=1`, 'localhost')).status).to.equal(200);
      expect((await ask(`${ITEMS}?limit=1`, 'evil.example')).status).to.equal(421);
      for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const bytes = get(ITEMS, { Host: 'evil.example' }).replace('GET', method);
        expect((await rawRequest(gateway.urls.http, bytes)).status, method).to.equal(421);
      }
    });

    it('is the authority of an absolute URL; an empty one counts as missing', async () => {
      const of = async (target: string, host: string) =>
        (await rawRequest(gateway.urls.http, get(target, { Host: host }))).status;
      expect(await of(`http://evil.example${ITEMS}`, 'localhost')).to.equal(421);
      expect(await of(`http://localhost${ITEMS}`, 'evil.example')).to.equal(200);
      expect(await of(ITEMS, '')).to.equal(421);
      expect(await of('http://evil.example/health/live', 'localhost')).to.equal(200);
    });

    it('may be missing in HTTP/1.0; several are refused in any order', async () => {
      const of = async (bytes: string) => (await rawRequest(gateway.urls.http, bytes)).status;
      expect(await of(`GET ${ITEMS} HTTP/1.0\r\n\r\n`)).to.equal(200);
      const two = (first: string, second: string) =>
        `GET ${ITEMS} HTTP/1.1\r\nHost: ${first}\r\nHost: ${second}\r\nConnection: close\r\n\r\n`;
      expect(await of(two('localhost', 'evil.example'))).to.equal(400);
      expect(await of(two('evil.example', 'localhost'))).to.be.oneOf([400, 421]);
    });

    it('is :authority over HTTP/2', async () => {
      const session = connect(gateway.urls.https ?? '', { rejectUnauthorized: false });
      const status = async (headers: Record<string, string>) => {
        const stream = session.request({ ':path': ITEMS, ...headers });
        const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
        stream.resume();
        return answer[':status'];
      };
      expect(await status({})).to.equal(200);
      expect(await status({ ':authority': 'evil.example' })).to.equal(421);
      expect(await status({ ':authority': 'evil.example', host: 'localhost' })).to.equal(421);
      expect(await status({ ':authority': 'evil.example', ':path': '/health/live' })).to.equal(200);
      session.close();
    });
  });

  it('that are unknown end the exceptions for this machine, also in the headers of a trusted proxy', async () => {
    const gateway = await runGateway({ settings: { trustedProxies: ['127.0.0.1'] } });
    const forged = { 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Proto': 'https' };
    const status = async (headers: Record<string, string>) =>
      (await rawRequest(gateway.urls.http, get('/metrics', headers))).status;
    expect(await status({ Host: 'evil.example', ...forged })).to.equal(401);
    expect(await status({ Host: 'localhost', 'X-Forwarded-Host': 'evil.example', ...forged })).to.equal(401);
    expect(await status({ Host: 'localhost', ...forged })).to.equal(200);
    await gateway.end();
  });

  it('are all accepted from a proxy while no host is listed', async () => {
    const gateway = await runGateway({ settings: { trustedProxies: ['127.0.0.1'] } });
    for (const host of ['content.example.org', 'evil.example']) {
      const answer = await rawRequest(gateway.urls.http, get(ITEMS, { Host: host, ...OUTSIDE }));
      expect(answer.status).to.equal(200);
      expect(gateway.core.requests.at(-1)?.bases.self).to.match(/^https:\/\/127\.0\.0\.1:\d+\/delivery$/);
    }
    // A proxy without proxy headers cannot be distinguished from a page on this machine.
    const silent = await rawRequest(gateway.urls.http, get(ITEMS, { Host: 'content.example.org' }));
    expect(silent.status).to.equal(421);
    await gateway.end();
  });

  it('are those of allowedHosts and the known ones once some are listed, for a proxy as well', async () => {
    const gateway = await runGateway({
      settings: { trustedProxies: ['127.0.0.1'], allowedHosts: ['content.example.org', '*.example.net'] },
    });
    const status = async (host: string, headers: Record<string, string> = OUTSIDE, path = ITEMS) =>
      (await rawRequest(gateway.urls.http, get(path, { Host: host, ...headers }))).status;
    for (const host of ['content.example.org', 'Content.Example.org.:443', 'a.b.example.net', ...LOOPBACK])
      expect(await status(host), host).to.equal(200);
    for (const host of ['evil.example', 'example.net', 'example.org', 'x.content.example.org'])
      expect(await status(host), host).to.equal(421);
    expect(await status('evil.example', OUTSIDE, '/health/ready')).to.equal(200);
    const forwarded = { ...OUTSIDE, 'X-Forwarded-Host': 'evil.example' };
    expect(await status('content.example.org', forwarded)).to.equal(421);
    // One without a value names none.
    expect(await status('content.example.org', { ...OUTSIDE, 'X-Forwarded-Host': '' })).to.equal(200);
    await gateway.reloadWith({ settings: { trustedProxies: ['127.0.0.1'], allowedHosts: ['evil.example'] } });
    expect(await status('evil.example')).to.equal(200);
    expect(await status('content.example.org')).to.equal(421);
    await gateway.end();
  });
});
