import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { get, open, parseAnswer, type RawAnswer, rawRequest, readAll } from '../support/clients/raw-http.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { longTest } from '../support/long-form.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;

/** Delivery shape of an error body, and nothing else in it (spec 7). */
function expectError(answer: RawAnswer, status: number, code: number): void {
  expect(answer.status, answer.body).to.equal(status);
  expect(answer.headers['content-type']).to.match(/^application\/json/);
  const body = JSON.parse(answer.body) as Record<string, unknown>;
  expect(Object.keys(body)).to.have.members(['message', 'request_id', 'error_code', 'specific_code']);
  expect(body['error_code'], answer.body).to.equal(code);
  expect(body['specific_code']).to.equal(0);
  expect(body['message']).to.be.a('string').with.length.above(10);
  expect(body['request_id']).to.equal(answer.headers['x-request-id']).and.to.have.length.above(8);
  expect(answer.body).to.not.match(/node_modules|\.ts\b|at \S+ \(|\/work|stack/);
}

describe('bad input over HTTP', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({
      tls: true,
      unlimited: true,
      plugins: { limits: { headersSeconds: 1, requestSeconds: 2 } },
    });
  });
  after(() => gateway.end());
  afterEach('the service is alive', async () => {
    expect((await fetch(gateway.urls.http + ITEMS)).status).to.equal(200);
    expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  for (const tls of [false, true]) {
    describe(tls ? 'HTTP/1.1 over TLS' : 'plain HTTP/1.1', () => {
      const send = (bytes: string | Buffer) =>
        rawRequest(tls ? (gateway.urls.https ?? '') : gateway.urls.http, bytes);

      const paths: [string, string, number, number][] = [
        ['broken percent-encoding', `/delivery/${PROJECTS.open}/items/%zz`, 400, 2],
        ['percent-encoding cut short', `/delivery/${PROJECTS.open}/items/%e2%82`, 400, 2],
        ['broken percent-encoding in the project id', '/delivery/%zz/items', 400, 2],
        ['an encoded null byte', `/delivery/${PROJECTS.open}/items/a%00b`, 400, 2],
        ['a URL of 100 kB', `/delivery/${PROJECTS.open}/items?a=${'x'.repeat(100_000)}`, 414, 2],
        ['a path of 100 kB', `/delivery/${PROJECTS.open}/${'x'.repeat(100_000)}`, 414, 2],
        ['a URL of 1 MB', `/delivery/${'x'.repeat(1_000_000)}`, 431, 2],
        ['a path of no surface', '/nothing/here', 404, 1],
        ['the bare root', '/', 404, 1],
        ['an unknown project', `/delivery/${PROJECTS.unknown}/items`, 404, 1],
        ['a project id of 60 kB', `/delivery/${'a'.repeat(60_000)}/items`, 404, 1],
        ['a surface without project', '/delivery', 404, 1],
        ['dots that lead out of the surface', '/delivery/../admin/projects', 404, 1],
      ];
      for (const [what, path, status, code] of paths) {
        it(`${what}: ${status}`, async () => expectError(await send(get(path)), status, code));
      }

      const wholes: [string, string, number, number][] = [
        ['no HTTP at all', 'hello\r\n\r\n', 400, 2],
        ['a raw null byte in the path', 'GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n', 400, 2],
        ['a raw space in the path', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n', 400, 2],
        ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 2],
        ['a header without colon', 'GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n', 400, 2],
        ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400, 2],
        [
          'two lengths',
          'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
          400,
          2,
        ],
        [
          'a length and chunks',
          'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
          400,
          2,
        ],
        ['HTTP/1.1 without Host', `GET ${ITEMS} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, 2],
        ['HTTP/2.0 in a request line', `GET ${ITEMS} HTTP/2.0\r\nHost: localhost\r\n\r\n`, 400, 2],
        ['HTTP/0.9 in a request line', `GET ${ITEMS} HTTP/0.9\r\nHost: localhost\r\n\r\n`, 400, 2],
        ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n', 405, 2],
        ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404, 1],
      ];
      for (const [what, bytes, status, code] of wholes) {
        it(`${what}: ${status}`, async () => expectError(await send(bytes), status, code));
      }

      it('150 headers: 431', async () => {
        const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`X-${at}`, 'a']));
        expectError(await send(get(ITEMS, many)), 431, 2);
      });

      it('40 kB of one header: 431', async () => {
        expectError(await send(get(ITEMS, { 'X-Large': 'a'.repeat(40_000) })), 431, 2);
      });

      it('a flood of headers: 431', async () => {
        const flood = Array.from({ length: 20_000 }, (_, at) => `X-${at}: ${'a'.repeat(40)}`).join('\r\n');
        expectError(await send(`GET ${ITEMS} HTTP/1.1\r\nHost: x\r\n${flood}\r\n\r\n`), 431, 2);
      });

      (tls ? longTest : it)('headers that never end: 408', async () => {
        const answer = await send(`GET ${ITEMS} HTTP/1.1\r\nHost: x\r\nX-Slow: `);
        expectError(answer, 408, 2);
      });

      it('HTTP/1.0 without Host is served', async () => {
        expect((await send(`GET ${ITEMS} HTTP/1.0\r\n\r\n`)).status).to.equal(200);
      });

      it('a whole URL in the request line is served', async () => {
        expect((await send(get(`http://localhost${ITEMS}?depth=0`))).status).to.equal(200);
        expect(gateway.core.requests.at(-1)).to.include({
          path: `/${PROJECTS.open}/items`,
          query: 'depth=0',
        });
      });
    });
  }

  it('a body over the limit: 413, before it is sent', async () => {
    const headers = 'Host: localhost\r\nContent-Length: 200000000\r\nAuthorization: Bearer open-management';
    const path = `/manage/v2/projects/${PROJECTS.open}/items`;
    const answer = await rawRequest(gateway.urls.http, `POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
    expect(answer.status).to.equal(413);
    expect(JSON.parse(answer.body)).to.include({ error_code: 2 }).and.to.not.have.property('specific_code');
  });

  longTest('a half-open connection that sends nothing is closed after the timeout', async () => {
    const socket = await open(gateway.urls.http);
    expect(parseAnswer(await readAll(socket)).status).to.equal(408);
  });

  it('100 headers are served over HTTP/2 as well, 101 are not', async () => {
    const session = connect(gateway.urls.https ?? '', { rejectUnauthorized: false });
    for (const [count, status] of [
      [100, 200],
      [101, 431],
    ] as const) {
      const many = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'a']));
      const [headers] = await once(session.request({ ':path': ITEMS, ...many }).resume(), 'response');
      expect((headers as Record<string, unknown>)[':status'], String(count)).to.equal(status);
    }
    session.close();
  });

  it('a request that takes longer than `requestSeconds`: 408, also where `headersSeconds` is more', async () => {
    const strict = await runGateway({ plugins: { limits: { requestSeconds: 1 } } });
    expectError(await rawRequest(strict.urls.http, 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '), 408, 2);
    await strict.end();
  });

  it('the service survives 500 connections that close at once', async () => {
    await Promise.all(
      Array.from({ length: 500 }, async () => {
        const socket = await open(gateway.urls.http);
        socket.write(get(ITEMS).slice(0, 30));
        socket.destroy();
      }),
    );
    await pause(50);
  });

  it('random bytes get an error or no response, and the service survives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        const socket = await open(gateway.urls.http);
        socket.end(Buffer.concat([Buffer.from(bytes), Buffer.from('\r\n\r\n')]));
        const answer = await readAll(socket);
        if (answer.length > 0) expect(parseAnswer(answer).status).to.be.within(400, 499);
      }),
      { numRuns: 100 },
    );
  });

  it('random paths and queries get a success or the documented error body', async () => {
    const segment = fc
      .string({ unit: 'binary-ascii', maxLength: 20 })
      .map((text) => text.replace(/[\s#?]/g, '%'));
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 5 }), async (segments) => {
        const path = `/delivery/${segments.join('/')}`.replaceAll(/[^\x21-\x7e]/g, '%');
        const answer = await rawRequest(gateway.urls.http, get(path));
        if (answer.status !== 200) {
          const { error_code: code } = JSON.parse(answer.body) as { error_code: number };
          expectError(answer, answer.status, code);
          expect(answer.status).to.be.within(400, 499);
        }
      }),
      { numRuns: 100 },
    );
  });
});
