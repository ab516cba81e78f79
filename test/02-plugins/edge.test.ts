import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { plugin as cors } from '../../plugins/cors/index.ts';
import { plugin as metrics } from '../../plugins/metrics/index.ts';
import { get, rawRequest } from '../support/clients/raw-http.ts';
import { ADMIN_TOKEN, notFound, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };

describe('cors', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ settings: { vendor: { header: ['SVC', 'KC'] } } });
  });
  after(() => gateway.end());

  it('answers a preflight with 204 without checking key or project and without calling core', async () => {
    const asked = gateway.core.requests.length;
    for (const path of [`/preview/${PROJECTS.unknown}/items`, `/manage/v2/projects/${PROJECTS.open}/items`]) {
      const answer = await fetch(gateway.urls.http + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://www.example.org',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization,x-kc-sdkid',
        },
      });
      expect(answer.status).to.equal(204);
      expect(await answer.text()).to.equal('');
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
      const allowed = answer.headers.get('access-control-allow-headers')!.toLowerCase().split(', ');
      expect(allowed).to.include.members([
        'authorization',
        'x-svc-sdkid',
        'x-kc-sdkid',
        'x-kc-wait-for-loading-new-content',
        'x-continuation',
        'content-type',
        'if-match',
      ]);
      expect(answer.headers.get('access-control-allow-methods')).to.include('GET');
    }
    expect(gateway.core.requests.length).to.equal(asked);
  });

  it("lets clients pass that are set to another vendor's name, and no other header", async () => {
    const answer = await fetch(gateway.urls.http + ITEMS, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://www.example.org',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization, x-other-sdkid,x-other-evil,cookie',
      },
    });
    const allowed = answer.headers.get('access-control-allow-headers')!.toLowerCase().split(', ');
    expect(allowed).to.include('x-other-sdkid').and.to.not.include.members(['x-other-evil']);
    expect(allowed).to.not.include('cookie');
  });

  it('puts its headers on answers and on errors alike', async () => {
    for (const path of [ITEMS, `/preview/${PROJECTS.open}/items`]) {
      const { headers } = await fetch(gateway.urls.http + path);
      expect(headers.get('access-control-allow-origin')).to.equal('*');
      expect(headers.get('access-control-expose-headers')).to.include('X-Stale-Content');
    }
  });

  it('names only listed origins, with `Vary: Origin`', async () => {
    const listed = await runGateway({ plugins: { cors: { origins: ['https://WWW.Example.org:443'] } } });
    const good = await fetch(listed.urls.http + ITEMS, { headers: { origin: 'https://www.example.org' } });
    expect(good.headers.get('access-control-allow-origin')).to.equal('https://www.example.org');
    expect(good.headers.get('vary')!.split(', ')).to.include('Origin');
    const bad = await fetch(listed.urls.http + ITEMS, { headers: { origin: 'https://evil.example' } });
    expect(bad.headers.get('access-control-allow-origin')).to.equal(null);
    expect(bad.headers.get('vary')!.split(', ')).to.include('Origin');
    await listed.end();
  });

  it('refuses settings that contradict each other', () => {
    expect(cors.settings.safeParse({ origins: ['*', 'https://a.example'] }).success).to.equal(false);
    for (const origin of ['https://a.example/path', 'https://*.example.org', 'https://a.example?b'])
      expect(cors.settings.safeParse({ origins: [origin] }).success, origin).to.equal(false);
  });
});

describe('health', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ plugins: { health: { rememberMilliseconds: 0 } } });
  });
  after(() => gateway.end());
  const status = async (path: string, headers = {}) =>
    (await fetch(gateway.urls.http + path, { headers })).status;

  it('live and ready need no key, the detail needs the admin token', async () => {
    expect(await status('/health/live')).to.equal(200);
    expect(await status('/health/ready')).to.equal(200);
    expect(await status('/health')).to.equal(401);
    const answer = await fetch(`${gateway.urls.http}/health`, { headers: admin });
    const detail = (await answer.json()) as { status: string; parts: object };
    expect(detail.status).to.equal('ok');
    expect(detail.parts)
      .to.have.property('gateway')
      .that.has.property('detail')
      .that.matches(/, version \d+\.\d+\.\d+$/);
    expect(detail.parts).to.deep.include({ storage: { ok: true, detail: 'reachable' } });
  });

  it('ready is 503 while core is not well; live stays 200', async () => {
    gateway.core.healthy = false;
    expect(await status('/health/ready')).to.equal(503);
    expect(await status('/health', admin)).to.equal(503);
    expect(await status('/health/live')).to.equal(200);
    gateway.core.healthy = true;
  });

  it('answers other methods with 405 and Allow, other paths with 404', async () => {
    const answer = await fetch(`${gateway.urls.http}/health/live`, { method: 'POST' });
    expect(answer.status).to.equal(405);
    expect(answer.headers.get('allow')).to.equal('GET, HEAD');
    expect(await status('/health/else')).to.equal(404);
  });
});

describe('metrics', () => {
  it('are open to this machine, except with proxy headers of a peer that is not trusted', async () => {
    const gateway = await runGateway({ plugins: { 'https-only': { required: false } } });
    const page = `${gateway.urls.http}/metrics`;
    expect((await fetch(page)).status).to.equal(200);
    const forwarding = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-host'];
    for (const name of forwarding) {
      const answer = await fetch(page, { headers: { [name]: '127.0.0.1' } });
      expect(answer.status, name).to.equal(401);
    }
    const withToken = await fetch(page, { headers: { ...admin, 'x-forwarded-for': '198.51.100.7' } });
    expect(withToken.status).to.equal(200);
    await gateway.end();
  });

  it('check the client address that a trusted proxy sends', async () => {
    const gateway = await runGateway({ settings: { trustedProxies: ['127.0.0.0/8'] } });
    const page = `${gateway.urls.http}/metrics`;
    const https = { 'x-forwarded-proto': 'https' };
    const through = async (value: string) =>
      (await fetch(page, { headers: { ...https, 'x-forwarded-for': value } })).status;
    expect(await through('198.51.100.7')).to.equal(401);
    expect(await through('127.0.0.1, 198.51.100.7')).to.equal(401);
    expect(await through('nonsense')).to.equal(401);
    expect(await through('::1')).to.equal(200);
    const byAnotherHeader = await fetch(page, { headers: { ...https, forwarded: 'for=198.51.100.7' } });
    expect(byAnotherHeader.status).to.equal(401);
    await gateway.end();
  });

  it('take no token sent over a network by plain HTTP', async () => {
    const gateway = await runGateway({ settings: { trustedProxies: ['127.0.0.0/8'] } });
    const page = `${gateway.urls.http}/metrics`;
    const forwarded = { ...admin, 'x-forwarded-for': '198.51.100.7' };
    const plain = await fetch(page, { headers: { ...forwarded, 'x-forwarded-proto': 'http' } });
    expect(plain.status).to.equal(403);
    expect(await plain.text()).to.include('Use HTTPS');
    const encrypted = await fetch(page, { headers: { ...forwarded, 'x-forwarded-proto': 'https' } });
    expect(encrypted.status).to.equal(200);
    expect(await encrypted.text()).to.match(
      /requests_total\{surface="metrics",method="GET",status="403"\} 1/,
    );
    await gateway.end();
  });

  it('show for how long the event loop was blocked', async () => {
    const gateway = await runGateway();
    const slow = async () => {
      const text = await (await fetch(`${gateway.urls.http}/metrics`)).text();
      const upTo = (le: string) =>
        Number(new RegExp(`event_loop_delay_seconds_bucket\\{le="${le}"\\} (\\d+)`).exec(text)?.[1]);
      return upTo('\\+Inf') - upTo('0.1');
    };
    const before = await slow();
    const end = performance.now() + 180;
    while (performance.now() < end);
    await until(async () => (await slow()) > before);
    await gateway.end();
  });

  it('count every request by surface, method and status', async () => {
    const gateway = await runGateway();
    await fetch(gateway.urls.http + ITEMS);
    await fetch(gateway.urls.http + ITEMS);
    await fetch(`${gateway.urls.http}/nowhere`);
    await fetch(gateway.urls.http + ITEMS, { method: 'PURGE' });
    const text = await (await fetch(`${gateway.urls.http}/metrics`)).text();
    expect(text).to.match(
      /headwater_metrics_requests_total\{surface="delivery",method="GET",status="200"\} 2/,
    );
    expect(text).to.match(/headwater_metrics_requests_total\{surface="none",method="GET",status="404"\} 1/);
    expect(text).to.match(/method="other"/);
    expect(text).to.match(/headwater_metrics_request_seconds_count\{surface="delivery"\} 3/);
    expect(text).to.include('process_resident_memory_bytes');
    await gateway.end();
  });

  it('refuse buckets that do not increase', () => {
    expect(metrics.settings.safeParse({ buckets: [1, 1] }).success).to.equal(false);
  });
});

describe('request id', () => {
  it('is one and the same in header, body and log', async () => {
    const gateway = await runGateway();
    const answer = await fetch(`${gateway.urls.http}/preview/${PROJECTS.open}/items?token=secret`);
    const id = answer.headers.get('x-request-id');
    expect((await answer.json()) as object).to.have.property('request_id', id);
    await gateway.close();
    const lines = (await readFile(join(gateway.dataDir, 'access.log'), 'utf8')).trim().split('\n');
    const line = JSON.parse(lines[0]!) as Record<string, unknown>;
    expect(line).to.include({
      id,
      surface: 'preview',
      method: 'GET',
      path: `/preview/${PROJECTS.open}/items`,
      status: 401,
      client: '127.0.0.1',
    });
    expect(line['bytes']).to.be.a('number');
    expect(line['ms']).to.be.a('number');
    expect(line['time']).to.match(/^\d{4}-.*Z$/);
    expect(lines.join()).to.not.include('secret');
    await gateway.end();
  });

  it('is taken from a trusted proxy only, and only if it is safe in a log', async () => {
    const trusting = await runGateway({ settings: { trustedProxies: ['127.0.0.1'] } });
    const plain = await runGateway();
    const idOf = async (gateway: TestGateway, id: string) =>
      (await fetch(gateway.urls.http + ITEMS, { headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      );
    expect(await idOf(trusting, 'abc-123')).to.equal('abc-123');
    expect(await idOf(trusting, 'a"b')).to.not.equal('a"b');
    expect(await idOf(plain, 'abc-123')).to.not.equal('abc-123');
    await trusting.end();
    await plain.end();
  });
});

describe('the trace of a request', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const offered = (version: string, trace = TRACE, more = '') =>
    `${version}-${trace}-00f067aa0ba902b7-01${more}`;

  async function traced(gateway: TestGateway, traceparent?: string): Promise<string> {
    gateway.core.requests.length = 0;
    const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent };
    await fetch(`${gateway.urls.http}/manage/v2/projects/${PROJECTS.open}/items`, {
      headers: { ...headers, authorization: 'Bearer open-management' },
    });
    return gateway.core.requests[0]!.traceparent!;
  }

  it('is that of a trusted proxy, if it is valid, for core and the access log', async () => {
    const gateway = await runGateway({ settings: { trustedProxies: ['127.0.0.1'] }, unlimited: true });
    expect(await traced(gateway, offered('00'))).to.equal(offered('00'));
    expect(await traced(gateway, offered('01', TRACE, '-later'))).to.equal(offered('00'));
    const invalid = [
      offered('ff'),
      offered('00', '0'.repeat(32)),
      offered('00', TRACE.toUpperCase()),
      offered('00', TRACE, '-more'),
      offered('00', TRACE, '0'),
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      'nonsense',
    ];
    for (const one of invalid) {
      expect(await traced(gateway, one), one)
        .to.match(/^00-[\da-f]{32}-[\da-f]{16}-00$/)
        .and.not.include(TRACE);
    }
    await gateway.close();
    const log = await readFile(join(gateway.dataDir, 'access.log'), 'utf8');
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; trace: string });
    expect(lines.slice(0, 2).map(({ trace }) => trace)).to.deep.equal([TRACE, TRACE]);
    expect(new Set(lines.map(({ trace }) => trace))).to.have.lengthOf(1 + invalid.length);
    await gateway.end();
  });

  it('begins here for other clients, and is in the line of an error', async () => {
    const gateway = await runGateway({ unlimited: true });
    const [one, other] = [await traced(gateway, offered('00')), await traced(gateway)];
    expect(one).to.not.equal(offered('00')).and.not.equal(other);
    gateway.core.answer = () => {
      throw new Error('broken');
    };
    const failed = await traced(gateway);
    const line = gateway.lines.find(({ text }) => text === 'A request failed.');
    expect(line?.fields)
      .to.include({ trace: failed.split('-')[1] })
      .and.have.property('id');
    await gateway.end();
  });
});

describe('errors', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway();
  });
  after(() => gateway.end());

  it('of core keep code, status and their own headers', async () => {
    gateway.core.answer = notFound;
    const answer = await fetch(gateway.urls.http + ITEMS);
    expect(answer.status).to.equal(404);
    expect(Object.keys((await answer.json()) as object)).to.deep.equal([
      'message',
      'request_id',
      'error_code',
      'specific_code',
    ]);
  });

  it('of unknown kinds are a 500 with code 0, their details in the log only', async () => {
    gateway.core.answer = () => {
      throw new Error('password of the database: hunter2');
    };
    const answer = await fetch(gateway.urls.http + ITEMS);
    const text = await answer.text();
    expect(answer.status).to.equal(500);
    expect(JSON.parse(text)).to.include({ error_code: 0, specific_code: 0 });
    expect(text).to.not.include('hunter2');
    const line = gateway.lines.find(({ level }) => level === 'error');
    expect(line?.fields['id']).to.equal(answer.headers.get('x-request-id'));
    expect(String(line?.fields['error'])).to.include('hunter2');
  });

  it('to HEAD have the length of the body and no body', async () => {
    gateway.core.answer = notFound;
    const head = get(ITEMS).replace('GET', 'HEAD');
    const answer = await rawRequest(gateway.urls.http, head);
    expect(answer.status).to.equal(404);
    expect(Number(answer.headers['content-length'])).to.be.above(20);
    expect(answer.body).to.equal('');
  });
});
