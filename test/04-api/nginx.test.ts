/** The shipped nginx configuration with a real nginx: what it caches, what it never caches, what it passes. */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { setSecureAccess } from '../../core/access/projects.ts';
import { conforms } from '../support/clients/openapi-conformance.ts';
import { get, rawRequest } from '../support/clients/raw-http.ts';
import { freePort } from '../support/gateway/run-gateway.ts';
import { type RunningNginx, runNginx } from '../support/programs/run-nginx.ts';
import { type ManageService, startManage } from '../support/projects/manage-service.ts';

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

const WAIT = { 'x-svc-wait-for-loading-new-content': 'true' };

describe('behind nginx, as shipped', () => {
  let manage: ManageService;
  let nginx: RunningNginx;
  before(async function () {
    // It may have to be installed.
    this.timeout(300_000);
    manage = await startManage({
      environment: {
        HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
        HEADWATER_ALLOWED_HOSTS: 'content.example.org',
      },
    });
    nginx = await runNginx(new URL(manage.service.url).host);
  });
  after(async () => {
    await nginx?.end();
    await manage?.stop();
  });
  afterEach('it warns of nothing but what a test does on purpose', async () => {
    const lines = (await nginx.log()).split('\n').filter((line) => !line.includes('too large body'));
    expect(lines.join('\n')).to.equal('');
  });

  const delivery = (path: string) => `/delivery/${manage.project.id}${path}`;

  async function ask(
    path: string,
    options: { headers?: Record<string, string>; method?: string; body?: Readable; plain?: boolean } = {},
  ): Promise<Got> {
    const { headers, method = 'GET', body } = options;
    const call = options.plain
      ? plainRequest(nginx.http + path, { method, headers })
      : secureRequest(nginx.https + path, {
          method,
          headers,
          ca: nginx.ca,
          servername: 'localhost',
          checkServerIdentity: () => undefined,
        });
    if (body) body.pipe(call);
    else call.end();
    const [answer] = (await once(call, 'response')) as [Readable & Got & { statusCode: number }];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
  }

  /** Cache status of the second of two equal requests. */
  async function second(path: string, headers: Record<string, string> = {}): Promise<Got> {
    await ask(path, { headers });
    return ask(path, { headers });
  }

  async function publish(title: string): Promise<void> {
    const { v2 } = manage;
    const item = '/items/external-id/behind-nginx';
    const known = await v2.get(item);
    if (known.status === 404) {
      await v2.put(item, { name: 'Behind nginx', type: { codename: 'article' } });
    } else await v2.put(`${item}/variants/codename/en-US/new-version`);
    const elements = [{ element: { codename: 'title' }, value: title }];
    await v2.put(`${item}/variants/codename/en-US`, { elements });
    const { status, text } = await v2.put(`${item}/variants/codename/en-US/publish`);
    expect(status, text).to.equal(204);
  }
  const titleOf = ({ body }: Got) =>
    (JSON.parse(body.toString()) as { item: { elements: { title: { value: string } } } }).item.elements.title
      .value;

  it('accepts the configuration without a warning', () => {
    expect(nginx.tested.trim().split('\n')).to.deep.equal([
      'nginx: the configuration file /nginx.conf syntax is ok',
      'nginx: configuration file /nginx.conf test is successful',
    ]);
  });

  it('caches a public response for one second, then requests it again', async () => {
    const path = delivery('/items?limit=2');
    const got = await second(path);
    expect(got.status).to.equal(200);
    expect(got.headers['cache-control']).to.match(/public/);
    expect(got.headers['x-proxy-cache']).to.equal('HIT');
    await pause(2100);
    expect((await ask(path)).headers['x-proxy-cache']).to.equal('EXPIRED');
  });

  it('answers the validator of a cached response with 304', async () => {
    const { headers } = await second(delivery('/items?limit=3'));
    const again = await ask(delivery('/items?limit=3'), { headers: { 'if-none-match': headers['etag']! } });
    expect(again.status).to.equal(304);
  });

  it('caches encodings separately', async () => {
    const path = delivery('/items');
    const encodings = [];
    for (const encoding of ['br', 'gzip', 'identity', 'gzip', 'br']) {
      const { headers } = await ask(path, { headers: { 'accept-encoding': encoding } });
      encodings.push(headers['content-encoding'] ?? 'identity');
    }
    expect(encodings).to.deep.equal(['br', 'gzip', 'identity', 'gzip', 'br']);
  });

  it('links in a cached response have the host and scheme of the request', async () => {
    const path = delivery('/items?limit=1');
    const link = async (host: string) => {
      const { body } = await second(path, { host });
      return (JSON.parse(body.toString()) as { pagination: { next_page: string } }).pagination.next_page;
    };
    expect(await link('content.example.org')).to.match(/^https:\/\/content\.example\.org\/delivery\//);
    expect(await link('deliver.localhost')).to.match(/^https:\/\/deliver\.localhost\//);
    expect(await link('content.example.org')).to.match(/^https:\/\/content\.example\.org\/delivery\//);
  });

  it('the wait header and a required sequence show new content at once', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const path = delivery('/items/behind_nginx?elements=title&depth=0');
      await ask(path);
      await publish(`Round ${round}`);
      const waited = await ask(path, { headers: WAIT });
      expect(waited.status).to.equal(200);
      expect(titleOf(waited)).to.equal(`Round ${round}`);
      expect(waited.headers['x-proxy-cache'] ?? '').to.equal('');
      const sequence = waited.headers['x-svc-content-sequence'] ?? '';
      expect(sequence).to.match(/^\d+$/);
      expect(titleOf(await ask(path, { headers: { 'x-svc-content-sequence': sequence } }))).to.equal(
        `Round ${round}`,
      );
    }
  });

  it('without them, responses are at most two seconds old', async () => {
    const path = delivery('/items/behind_nginx?elements=title&depth=0');
    await publish('Before');
    for (const title of ['After', 'And again']) {
      await ask(path);
      await publish(title);
      const published = performance.now();
      while (titleOf(await ask(path)) !== title) {
        expect(performance.now() - published).to.be.below(2100);
        await pause(20);
      }
    }
  });

  it('never caches preview, management, administration or errors', async () => {
    const { id, previewKey } = manage.project;
    const preview = await second(`/preview/${id}/items`, { authorization: `Bearer ${previewKey}` });
    expect(preview.headers['cache-control']).to.match(/private/);
    const managed = await second(`/manage/v2/projects/${id}/items`, {
      authorization: `Bearer ${manage.key}`,
    });
    const administered = await second('/admin/projects', {
      authorization: `Bearer ${manage.service.adminToken}`,
    });
    for (const got of [managed, administered]) {
      expect(got.headers['cache-control']).to.equal('no-store');
    }
    const refused = await second(delivery('/items?depth=-1'));
    expect(refused.status).to.equal(400);
    for (const got of [preview, managed, administered, refused]) {
      expect(got.headers['x-proxy-cache']).to.not.equal('HIT');
    }
  });

  it('does not show a secured project without its key, nor its earlier public responses', async () => {
    const { core } = manage.service;
    const path = delivery('/items?limit=4');
    expect((await second(path)).headers['x-proxy-cache']).to.equal('HIT');
    const { primary } = await core.operations.installation(null, (installation) =>
      setSecureAccess(installation, manage.project.id, true),
    );
    const key = { authorization: `Bearer ${primary}` };
    const shown = await second(path, key);
    expect(shown.status).to.equal(200);
    expect(shown.headers['cache-control']).to.match(/private/);
    await pause(2100);
    expect((await ask(path)).status).to.equal(401);
    expect((await ask(path, { headers: key })).status).to.equal(200);
    expect((await ask(path)).status).to.equal(401);
    const etag = shown.headers['etag'] ?? '';
    expect((await ask(path, { headers: { ...key, 'if-none-match': etag } })).status).to.equal(304);
    await core.operations.installation(null, (installation) =>
      setSecureAccess(installation, manage.project.id, false),
    );
  });

  it('forged forwarding headers have no effect', async () => {
    const path = delivery('/items?limit=1&skip=1');
    const forged = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      'x-forwarded-for': '127.0.0.1',
      'x-real-ip': '127.0.0.1',
      forwarded: 'for=127.0.0.1;host=evil.example;proto=https',
    };
    const got = await ask(path, { headers: { ...forged, host: 'content.example.org' } });
    expect(got.status).to.equal(200);
    expect(got.body.toString()).to.include('https://content.example.org/').and.to.not.include('evil.example');
    const plain = await ask(path, { headers: { ...forged, host: 'content.example.org' }, plain: true });
    expect(plain.body.toString())
      .to.include('"http://content.example.org/')
      .and.to.not.include('evil.example');
  });

  it('plain HTTP from another machine gets the error that asks for HTTPS', async () => {
    // nginx sends the client's address, which is this machine here: a forwarded address simulates another one.
    const answer = await rawRequest(
      manage.service.url,
      get(delivery('/items'), { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'http' }),
    );
    expect(answer.status).to.equal(403);
    expect(answer.body).to.include('Use HTTPS');
  });

  it('uploads stream, and files are served whole or in ranges', async () => {
    const size = 24 * 1024 * 1024;
    const body = Readable.from(
      (function* () {
        for (let at = 0; at < size; at += 65_536) yield Buffer.alloc(65_536, at / 65_536);
      })(),
    );
    const headers = { authorization: `Bearer ${manage.key}`, 'content-type': 'application/octet-stream' };
    const upload = await ask(`/manage/v2/projects/${manage.project.id}/files/large.bin`, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(size) },
      body,
    });
    expect(upload.status, upload.body.toString()).to.equal(200);
    const reference = JSON.parse(upload.body.toString()) as { id: string };
    const asset = await manage.v2.post<{ url: string }>('/assets', {
      file_reference: { id: reference.id, type: 'internal' },
      descriptions: [],
    });
    expect(asset.status, asset.text).to.be.oneOf([200, 201]);
    const { pathname } = new URL(asset.body.url);
    const whole = await ask(pathname);
    expect(whole.status).to.equal(200);
    expect(whole.body.length).to.equal(size);
    const part = await ask(pathname, { headers: { range: 'bytes=65530-65541' } });
    expect(part.status).to.equal(206);
    expect(part.headers['content-range']).to.equal(`bytes 65530-65541/${size}`);
    expect([...part.body]).to.deep.equal([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    const head = await ask(pathname, { method: 'HEAD' });
    expect(head.headers['content-length']).to.equal(String(size));
  });

  it('an upload over the limit is refused, and a URL of 60 kB passes', async () => {
    const headers = { authorization: `Bearer ${manage.key}`, 'content-length': String(200 * 1024 * 1024) };
    const call = secureRequest(`${nginx.https}/manage/v2/projects/${manage.project.id}/files/x`, {
      method: 'POST',
      headers,
      ca: nginx.ca,
    });
    call.on('error', () => {});
    call.flushHeaders();
    const [answer] = (await once(call, 'response')) as [{ statusCode: number }];
    expect(answer.statusCode).to.equal(413);
    call.destroy();
    const long = await ask(delivery(`/items?ignored=${'x'.repeat(60_000)}`));
    expect(long.status).to.equal(200);
  });

  it('answers with the error of the service where no gateway responds', async () => {
    const alone = await runNginx(`127.0.0.1:${await freePort()}`);
    try {
      for (const [method, path, surface] of [
        ['GET', delivery('/items'), 'delivery'],
        ['POST', `/manage/v2/projects/${manage.project.id}/items`, 'manage'],
        ['POST', '/admin/projects', 'admin'],
      ] as const) {
        const url = alone.https + path;
        const call = secureRequest(url, { method, ca: alone.ca }).end();
        const [answer] = (await once(call, 'response')) as [IncomingMessage];
        const { statusCode: status = 0, headers } = answer;
        expect(status).to.equal(503);
        conforms(
          { method, url, status, headers: headers as Got['headers'], body: await text(answer) },
          surface,
        );
      }
    } finally {
      await alone.end();
    }
  });

  it('speaks HTTP/2', async () => {
    const session = connectHttp2(nginx.https, { ca: nginx.ca });
    const stream = session.request({ ':path': delivery('/items') });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).to.equal(200);
    stream.resume();
    session.close();
  });

  it('gives each request an id of its own, and passes the trace of the client', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
    const { headers } = await ask('/nothing', {
      headers: { traceparent, 'x-request-id': 'of-the-client' },
    });
    const id = headers['x-request-id'];
    expect(id).to.match(/^[\da-f]{32}$/);
    const { dataDir } = manage.service;
    // With several gateways, each has a log of its own.
    const logs = async () => {
      const names = (await readdir(dataDir, { recursive: true })).filter((name) =>
        /(^|\/)access\.log$/.test(name),
      );
      return Promise.all(names.map((name) => readFile(join(dataDir, name), 'utf8')));
    };
    let line: object | undefined;
    for (const ends = performance.now() + 5000; line === undefined && performance.now() < ends; ) {
      await pause(100);
      const lines = (await logs()).flatMap((log) => log.split('\n'));
      const found = lines.find((one) => one.includes(`"id":"${id}"`));
      if (found !== undefined) line = JSON.parse(found) as object;
    }
    expect(line).to.include({ id, trace });
  });

  it('a hundred concurrent requests for one page are one request to the service', async () => {
    const path = delivery('/items?limit=7&skip=0');
    const count = async () => {
      const text = await (await fetch(`${manage.service.url}/metrics`)).text();
      const line = /^headwater_metrics_requests_total\{surface="delivery",method="GET",status="200"\} (\d+)/m;
      return Number(line.exec(text)?.[1] ?? 0);
    };
    const before = await count();
    const all = await Promise.all(Array.from({ length: 100 }, () => ask(path)));
    expect(all.every(({ status }) => status === 200)).to.equal(true);
    expect((await count()) - before).to.be.at.most(3);
  });
});
