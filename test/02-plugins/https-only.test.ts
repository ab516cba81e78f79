import { connect } from 'node:http2';
import { expect } from 'chai';
import { ServiceError } from '../../core/contract.ts';
import type { ClientFacet, SurfaceName } from '../../plugins/contract.ts';
import { plugin } from '../../plugins/https-only/index.ts';
import { get, rawRequest } from '../support/clients/raw-http.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runPlugins, testContext, testServices } from '../support/gateway/plugin-services.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const AFAR: ClientFacet = { address: '192.0.2.7', loopback: false, viaTrustedProxy: false, scheme: 'http' };

describe('https-only', () => {
  async function refusal(
    settings: object,
    client: Partial<ClientFacet>,
    surface: SurfaceName = 'delivery',
  ): Promise<ServiceError | undefined> {
    const running = await plugin.setup(
      plugin.settings.parse(settings),
      testServices().servicesFor('https-only'),
    );
    const ctx = testContext(surface, { client: { ...AFAR, ...client } });
    try {
      await runPlugins([running], ctx);
      return undefined;
    } catch (error) {
      expect(error).to.be.instanceOf(ServiceError);
      return error as ServiceError;
    }
  }

  it('refuses plain HTTP from other machines, and names the setting', async () => {
    for (const surface of ['delivery', 'preview', 'manage', 'assets', 'admin', 'docs'] as const) {
      const error = await refusal({}, {}, surface);
      expect(error, surface).to.include({ status: 403, code: 2 });
      expect(error?.message)
        .to.include('HEADWATER_PLUGINS__HTTPS_ONLY__REQUIRED=false')
        .and.to.include('HTTPS');
    }
  });

  it('accepts this machine, HTTPS, health probes, and all clients where the setting allows it', async () => {
    expect(await refusal({}, { address: '127.0.0.1', loopback: true })).to.equal(undefined);
    expect(await refusal({}, { scheme: 'https' })).to.equal(undefined);
    expect(await refusal({}, {}, 'health')).to.equal(undefined);
    expect(await refusal({ required: false }, {})).to.equal(undefined);
  });

  describe('behind a proxy', () => {
    let trusting: TestGateway;
    let wary: TestGateway;
    before(async () => {
      trusting = await runGateway({
        tls: true,
        settings: { trustedProxies: ['127.0.0.1'], allowedHosts: ['content.example.org'] },
        plugins: { 'https-only': { hsts: { maxAgeSeconds: 600, includeSubDomains: true } } },
      });
      wary = await runGateway();
    });
    after(() => Promise.all([trusting.end(), wary.end()]));

    const OUTSIDE = '203.0.113.9';
    const trusted: [string, Record<string, string>, number][] = [
      ['says https for a client outside', { 'X-Forwarded-For': OUTSIDE, 'X-Forwarded-Proto': 'https' }, 200],
      ['says HTTPS in capitals', { 'X-Forwarded-For': OUTSIDE, 'X-Forwarded-Proto': 'HTTPS' }, 200],
      ['says http', { 'X-Forwarded-For': OUTSIDE, 'X-Forwarded-Proto': 'http' }, 403],
      ['says nothing of the scheme', { 'X-Forwarded-For': OUTSIDE }, 403],
      ['says nothing of the client', { 'X-Forwarded-Host': 'content.example.org' }, 403],
      [
        'passes on a claim in front of its own',
        { 'X-Forwarded-For': OUTSIDE, 'X-Forwarded-Proto': 'https, http' },
        403,
      ],
      ['says https last', { 'X-Forwarded-For': OUTSIDE, 'X-Forwarded-Proto': 'http, https' }, 200],
      ['says another scheme', { 'X-Forwarded-For': OUTSIDE, 'X-Forwarded-Proto': 'wss' }, 403],
      ['says a scheme with noise', { 'X-Forwarded-For': OUTSIDE, 'X-Forwarded-Proto': 'https;' }, 403],
      ['names a client that claims to be this machine', { 'X-Forwarded-For': `127.0.0.1, ${OUTSIDE}` }, 403],
      ['names no address', { 'X-Forwarded-For': 'unknown' }, 403],
      ['says https in another header', { Forwarded: `for=${OUTSIDE};proto=https` }, 403],
    ];
    for (const [what, headers, status] of trusted) {
      it(`a trusted one that ${what}: ${status}`, async () => {
        expect((await rawRequest(trusting.urls.http, get(ITEMS, headers))).status).to.equal(status);
      });
    }

    it('two lines of X-Forwarded-Proto count as one: the last value is the proxy’s', async () => {
      const lines = (first: string, second: string) =>
        `GET ${ITEMS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Forwarded-For: ${OUTSIDE}\r\n` +
        `X-Forwarded-Proto: ${first}\r\nX-Forwarded-Proto: ${second}\r\n\r\n`;
      expect((await rawRequest(trusting.urls.http, lines('https', 'http'))).status).to.equal(403);
      expect((await rawRequest(trusting.urls.http, lines('http', 'https'))).status).to.equal(200);
    });

    for (const name of ['X-Forwarded-For', 'X-Forwarded-Proto', 'Forwarded', 'Via', 'X-Real-IP']) {
      it(`${name} from a peer that is not trusted ends the exception for this machine`, async () => {
        const value = name === 'X-Forwarded-Proto' ? 'https' : '127.0.0.1';
        const answer = await rawRequest(wary.urls.http, get(ITEMS, { [name]: value }));
        expect(answer.status).to.equal(403);
        expect(answer.body)
          .to.include('trustedProxies')
          .and.to.include('HEADWATER_TRUSTED_PROXIES=127.0.0.1');
        const probe = await rawRequest(wary.urls.http, get('/health/live', { [name]: value }));
        expect(probe.status).to.equal(200);
      });
    }

    it('a policy is sent over HTTPS for names, never for addresses, loopback names or plain HTTP', async () => {
      const policy = async (headers: Record<string, string>) =>
        (await rawRequest(trusting.urls.http, get(ITEMS, headers))).headers['strict-transport-security'];
      const forwarded = { 'X-Forwarded-For': OUTSIDE, 'X-Forwarded-Proto': 'https' };
      const said = 'max-age=600; includeSubDomains';
      expect(await policy({ ...forwarded, Host: 'content.example.org' })).to.equal(said);
      expect(await policy({ ...forwarded, Host: 'content.example.org:8443' })).to.equal(said);
      expect(await policy({ ...forwarded, Host: '203.0.113.1' })).to.equal(undefined);
      expect(await policy({ ...forwarded, Host: '[2001:db8::1]:443' })).to.equal(undefined);
      expect(await policy({ ...forwarded, Host: 'deliver.localhost' })).to.equal(undefined);
      expect(await policy({ ...forwarded, Host: 'localhost.:8443' })).to.equal(undefined);
      expect(await policy({ Host: 'content.example.org' })).to.equal(undefined);
      const direct = await rawRequest(trusting.urls.https ?? '', get(ITEMS, { Host: 'content.example.org' }));
      expect(direct.headers['strict-transport-security']).to.equal(said);
      expect(await overHttp2(trusting, 'content.example.org')).to.equal(said);
      expect(await overHttp2(trusting, 'localhost')).to.equal(undefined);
    });

    it('no policy is sent by default', async () => {
      const answer = await rawRequest(wary.urls.http, get(ITEMS, { Host: 'content.example.org' }));
      expect(answer.headers).to.not.have.property('strict-transport-security');
    });
  });

  it('accepts a policy for the lists of browsers only where they accept it', () => {
    const parse = (hsts: object) => plugin.settings.safeParse({ hsts }).success;
    expect(parse({ preload: true })).to.equal(false);
    expect(parse({ preload: true, maxAgeSeconds: 31_536_000 })).to.equal(false);
    expect(parse({ preload: true, maxAgeSeconds: 31_536_000, includeSubDomains: true })).to.equal(true);
  });
});

async function overHttp2(gateway: TestGateway, authority: string): Promise<unknown> {
  const session = connect(gateway.urls.https ?? '', { rejectUnauthorized: false });
  const stream = session.request({ ':path': ITEMS, ':authority': authority });
  const policy = await new Promise<unknown>((resolve, reject) => {
    stream.once('response', (headers) => resolve(headers['strict-transport-security']));
    stream.once('error', reject);
  });
  stream.close();
  session.close();
  return policy;
}
