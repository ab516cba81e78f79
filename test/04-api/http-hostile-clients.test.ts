import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  type ClientHttp2Session,
  connect,
  constants,
  Http2ServerRequest,
  type IncomingHttpHeaders,
} from 'node:http2';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { expect } from 'chai';
import { get, open, parseAnswer, rawRequest, readAll } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const ASK = `GET ${ITEMS} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('hostile clients', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ tls: true });
  });
  after(() => gateway.end());
  afterEach('the service is alive', async () => {
    gateway.core.answer = () => json({ ok: true });
    expect((await fetch(gateway.urls.http + ITEMS)).status).to.equal(200);
    expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  for (const host of ['localhost:99999', 'xn--.localhost', 'localhost:']) {
    it(`the host '${host}' makes no link that is not valid, and causes no error`, async () => {
      for (const path of ['/docs', '/docs/openapi.json', ITEMS]) {
        const answer = await rawRequest(gateway.urls.http, get(path, { Host: host }));
        expect(answer.status, path).to.equal(200);
      }
      const bases = gateway.core.requests.at(-1)!.bases;
      // Of an empty label Node 24 makes a URL.
      const valid = URL.canParse(`http://${host}`) ? [new URL(`http://${host}`).origin] : [];
      expect(new URL(bases.self).origin).to.be.oneOf([gateway.urls.http, ...valid]);
    });
  }

  for (const host of ['[::1', 'a b', 'localhost:x', '::1', `${'a'.repeat(70_000)}`]) {
    it(`the host '${host.slice(0, 20)}' is not trusted`, async () => {
      const { status } = await rawRequest(gateway.urls.http, get(ITEMS, { Host: host }));
      expect(status).to.be.oneOf(host.length > 1000 ? [431, 421] : [421]);
    });
  }

  for (const [target, status] of [
    ['http://[::1', 421],
    ['http://a:b:c/x', 421],
    ['ftp://user:secret@a/x', 404],
  ] as const) {
    it(`the request target ${target} is a ${status}`, async () => {
      expect((await rawRequest(gateway.urls.http, get(target))).status).to.equal(status);
    });
  }

  it('two Host headers: 400', async () => {
    const answer = await rawRequest(
      gateway.urls.http,
      `GET ${ITEMS} HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).to.equal(400);
  });

  it('CONNECT gets a 405 with the allowed methods', async () => {
    const answer = await rawRequest(gateway.urls.http, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n');
    expect(answer).to.deep.include({ status: 405 });
    expect(answer.headers['allow']).to.equal('GET, HEAD, OPTIONS');
  });

  for (const header of ['Via', 'X-Real-IP', 'CF-Connecting-IP', 'Forwarded', 'X-Forwarded-Port']) {
    it(`${header} from an untrusted peer ends the exception for this machine`, async () => {
      const answer = await rawRequest(gateway.urls.http, get('/metrics', { [header]: '127.0.0.1' }));
      expect(answer.status).to.equal(403);
    });
  }

  it('requests of one connection run one after the other', async () => {
    let running = 0;
    let most = 0;
    gateway.core.answer = async () => {
      running += 1;
      most = Math.max(most, running);
      await pause(1);
      running -= 1;
      return json({ ok: true });
    };
    const socket = await open(gateway.urls.http);
    socket.write(ASK.repeat(49) + get(ITEMS));
    const text = (await readAll(socket)).toString();
    expect(text.split('HTTP/1.1 200 OK').length - 1).to.equal(50);
    expect(most).to.equal(1);
  });

  it('a connection with thousands of waiting requests is closed', async () => {
    gateway.core.answer = async () => {
      await pause(300);
      return json({ ok: true });
    };
    const before = gateway.core.requests.length;
    const socket = await open(gateway.urls.http);
    socket.write(ASK.repeat(5000));
    await readAll(socket);
    await pause(400);
    expect(gateway.core.requests.length - before).to.be.at.most(1);
  });

  it('a connection with an endless unread body is closed after the response', async () => {
    const socket = await open(gateway.urls.http);
    socket.write(`POST /health/live HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const timer = setInterval(() => socket.write(chunk.repeat(8)), 20);
    const answer = await readAll(socket);
    clearInterval(timer);
    expect(parseAnswer(answer).status).to.equal(405);
  });

  it('a small unread body leaves the connection open', async () => {
    const socket = await open(gateway.urls.http);
    socket.write('POST /health/live HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nab');
    await pause(50);
    socket.write(`cd${get(ITEMS)}`);
    expect((await readAll(socket)).toString()).to.match(/^HTTP\/1.1 405 .*HTTP\/1.1 200 OK/s);
  });

  describe('over HTTP/2', () => {
    let session: ClientHttp2Session;
    before(() => {
      session = connect(gateway.urls.https!, {
        rejectUnauthorized: false,
        maxSendHeaderBlockLength: 200_000,
      });
    });
    after(() => session.close());
    const status = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const stream = session.request({ ':path': path });
        stream.on('response', (headers: IncomingHttpHeaders & { ':status'?: number }) =>
          resolve(headers[':status']),
        );
        stream.on('error', reject);
        stream.resume();
      });

    it('a long URL is served, and one over the limit of HTTP/1.1 is a 414', async () => {
      expect(await status(`${ITEMS}?a=${'x'.repeat(60_000)}`)).to.equal(200);
      expect(await status(`${ITEMS}?a=${'x'.repeat(66_000)}`)).to.equal(414);
    });

    longTest('requests that are cancelled while they wait for a reader are not kept', async () => {
      gateway.core.answer = () => json({ text: 'x'.repeat(8_000_000) });
      const unread = session.request({ ':path': ITEMS });
      await once(unread, 'response');
      const kept = () => queryObjects(Http2ServerRequest, { format: 'count' });
      const before = kept();
      for (let round = 0; round < 10; round += 1) {
        const waiting = Array.from({ length: 20 }, () => session.request({ ':path': ITEMS }));
        // Until the service has them.
        await new Promise((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve(0))));
        for (const stream of waiting) stream.close(constants.NGHTTP2_CANCEL);
        await Promise.all(waiting.map((stream) => once(stream, 'close')));
      }
      await until(() => kept() - before < 100);
      unread.close(constants.NGHTTP2_CANCEL);
    });

    it('a host with an impossible port causes no error', async () => {
      const stream = session.request({ ':path': '/docs', ':authority': 'localhost:99999' });
      const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
      stream.resume();
      expect(headers[':status']).to.equal(200);
    });
  });
});

describe('requests whose client has disconnected', () => {
  it('are 499 in the access log and in the metrics, not the 404 of Koa', async () => {
    const gateway = await runGateway();
    gateway.core.answer = async ({ signal }) => {
      await until(() => signal?.aborted === true);
      return json({ ok: true });
    };
    const socket = await open(gateway.urls.http);
    socket.write(ASK);
    await until(() => gateway.core.requests.length === 1);
    socket.destroy();
    await until(async () => {
      const metrics = await (await fetch(`${gateway.urls.http}/metrics`)).text();
      return metrics.includes('{surface="delivery",method="GET",status="499"} 1');
    });
    await gateway.close();
    const log = await readFile(join(gateway.dataDir, 'access.log'), 'utf8');
    expect(JSON.parse(log.split('\n')[0]!)).to.include({ status: 499, aborted: true });
    await gateway.end();
  });

  it('paths in the log contain no query and no password', async () => {
    const gateway = await runGateway();
    await rawRequest(gateway.urls.http, get(`http://user:secret@localhost${ITEMS}?token=secret`));
    await gateway.close();
    const log = await readFile(join(gateway.dataDir, 'access.log'), 'utf8');
    expect(JSON.parse(log)).to.include({ path: ITEMS });
    await gateway.end();
  });
});
