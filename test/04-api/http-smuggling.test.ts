/** Ambiguous requests: the service refuses them or reads them in one way, and never runs a hidden request. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { get, open, parseAnswer, rawRequest, readAll } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const FILES = `/manage/v2/projects/${PROJECTS.open}/files/a`;
const HIDDEN = `GET ${ITEMS}?skip=666 HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Headers (without their last line end) → a POST whose body is, or hides, another request. */
function post(headers: string, body: string): string {
  return `POST ${FILES} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer open-management\r\n${headers}\r\n\r\n${body}`;
}

const LENGTH = HIDDEN.length;
const CHUNKED = `0\r\n\r\n${HIDDEN}`;

const refused: [string, string][] = [
  ['a length and chunks', post(`Content-Length: ${LENGTH}\r\nTransfer-Encoding: chunked`, CHUNKED)],
  ['chunks and a length', post(`Transfer-Encoding: chunked\r\nContent-Length: ${LENGTH}`, CHUNKED)],
  ['two lengths', post(`Content-Length: 0\r\nContent-Length: ${LENGTH}`, HIDDEN)],
  ['the same length twice', post(`Content-Length: ${LENGTH}\r\nContent-Length: ${LENGTH}`, HIDDEN)],
  ['a list of lengths', post(`Content-Length: 0, ${LENGTH}`, HIDDEN)],
  ['a length with a sign', post('Content-Length: +0', HIDDEN)],
  ['a negative length', post('Content-Length: -1', HIDDEN)],
  ['a length in hexadecimal', post('Content-Length: 0x0', HIDDEN)],
  ['a length in two words', post('Content-Length: 0 5', HIDDEN)],
  ['a length beyond all numbers', post('Content-Length: 99999999999999999999999', HIDDEN)],
  ['an empty length', post('Content-Length: ', HIDDEN)],
  ['a space in front of the colon', post('Transfer-Encoding : chunked', CHUNKED)],
  ['a tab in front of the colon', post('Content-Length\t: 0', HIDDEN)],
  ['an encoding that is not the last', post('Transfer-Encoding: chunked, gzip', CHUNKED)],
  ['an encoding of another name', post('Transfer-Encoding: xchunked', CHUNKED)],
  ['an encoding without chunks', post('Transfer-Encoding: identity', CHUNKED)],
  ['an encoding behind a null byte', post('Transfer-Encoding: \0chunked', CHUNKED)],
  ['an encoding behind a control character', post('Transfer-Encoding: \x0bchunked', CHUNKED)],
  ['a folded encoding', post('Transfer-Encoding:\r\n chunked', CHUNKED)],
  ['a folded length', post('X: y\r\n Content-Length: 5', HIDDEN)],
  ['a header after a bare line feed', post(`X: y\nContent-Length: ${LENGTH}`, HIDDEN)],
  ['a header after a bare carriage return', post(`X: y\rContent-Length: ${LENGTH}`, HIDDEN)],
  ['bare line feeds', `GET ${ITEMS} HTTP/1.1\nHost: localhost\n\n${HIDDEN}`],
  ['a first header that begins with a space', `GET ${ITEMS} HTTP/1.1\r\n Host: localhost\r\n\r\n${HIDDEN}`],
  ['a null byte in a header', post('X: a\0b\r\nContent-Length: 0', HIDDEN)],
  [
    'two hosts',
    `GET ${ITEMS} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
  ],
  ['HTTP of the next century', `GET ${ITEMS} HTTP/9.9\r\nHost: localhost\r\n\r\n${HIDDEN}`],
  ['a version with a suffix', `GET ${ITEMS} HTTP/1.1x\r\nHost: localhost\r\n\r\n${HIDDEN}`],
  ['a preface of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${HIDDEN}`],
];

/** Malformed only in the body, when core may run already. */
const broken: [string, string][] = [
  ['a chunk whose size is no number', 'zz\r\nab\r\n0\r\n\r\n'],
  ['a chunk whose size has a prefix', '0x2\r\nab\r\n0\r\n\r\n'],
  ['a chunk of negative size', '-2\r\nab\r\n0\r\n\r\n'],
  ['a chunk that overflows', 'fffffffffffffffff\r\nab\r\n0\r\n\r\n'],
  ['a chunk longer than its size', '1\r\nabc\r\n0\r\n\r\n'],
  ['a chunk size ended by a bare line feed', '2\nab\r\n0\r\n\r\n'],
  ['a chunk extension with a line feed in it', '2;a\nb\r\nab\r\n0\r\n\r\n'],
];

describe('requests that hide another request', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ tls: true, settings: { pipeline: { off: ['rate-limit'] } } });
    gateway.core.answer = async ({ body }) => {
      if (body) for await (const _chunk of body);
      return json({ ok: true });
    };
  });
  after(() => gateway.end());
  afterEach('nothing hidden was done, and the service is alive', async () => {
    expect(gateway.core.requests.filter(({ query }) => query === 'skip=666')).to.deep.equal([]);
    expect((await rawRequest(gateway.urls.http, get(ITEMS))).status).to.equal(200);
    gateway.core.requests.length = 0;
    expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  for (const scheme of ['http', 'https'] as const) {
    for (const [what, bytes] of refused) {
      it(`${what}, over ${scheme}: refused, and the connection is closed`, async () => {
        const answer = await rawRequest(gateway.urls[scheme] ?? '', bytes);
        expect(answer.status).to.equal(400);
        expect(JSON.parse(answer.body)).to.have.property('request_id');
        expect(gateway.core.requests).to.deep.equal([]);
      });
    }
  }

  for (const [what, chunks] of broken) {
    it(`${what}: the rest of the connection is not read`, async () => {
      const socket = await open(gateway.urls.http);
      socket.write(post('Transfer-Encoding: chunked', chunks + HIDDEN));
      const bytes = await readAll(socket);
      if (bytes.length > 0) expect(parseAnswer(bytes).status).to.equal(400);
    });
  }

  it('a body that is a request is a body', async () => {
    const socket = await open(gateway.urls.http);
    socket.write(post(`Content-Length: ${LENGTH}\r\nConnection: close`, HIDDEN));
    expect(parseAnswer(await readAll(socket)).status).to.equal(200);
    expect(gateway.core.requests.map(({ path }) => path)).to.deep.equal([
      `/v2/projects/${PROJECTS.open}/files/a`,
    ]);
  });

  it('the body of a request that accepts none is not read as the next request', async () => {
    const bytes = `GET ${ITEMS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${LENGTH}\r\nConnection: close\r\n\r\n${HIDDEN}`;
    expect((await rawRequest(gateway.urls.http, bytes)).status).to.equal(200);
  });

  it('trailers are no headers', async () => {
    const bytes = post(
      'Transfer-Encoding: chunked\r\nConnection: close\r\nTrailer: Authorization',
      '2\r\nab\r\n0\r\nAuthorization: Bearer secured-management\r\nHost: evil.example\r\n\r\n',
    );
    expect((await rawRequest(gateway.urls.http, bytes)).status).to.equal(200);
    const [request] = gateway.core.requests;
    expect(request?.principal).to.include({ key: 'id-open-management' });
    expect(request?.bases.self).to.equal('http://localhost/manage');
  });

  it('the authority of a whole URL is the host, and an unknown one is refused', async () => {
    const of = async (target: string, host: string) => {
      gateway.core.requests.length = 0;
      const bytes = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const { status } = await rawRequest(gateway.urls.http, bytes);
      return status === 200 ? gateway.core.requests[0]?.bases.self : status;
    };
    expect(await of(`http://evil.example${ITEMS}?skip=1`, 'localhost')).to.equal(421);
    expect(await of(`http://localhost${ITEMS}?skip=2`, 'evil.example')).to.equal('http://localhost/delivery');
    expect(await of(`http://a@evil.example${ITEMS}?skip=3`, 'localhost')).to.equal(421);
    expect(await of(`//evil.example${ITEMS}`, 'localhost')).to.equal(404);
  });

  describe('over HTTP/2', () => {
    let session: ClientHttp2Session;
    beforeEach(async () => {
      session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
      session.on('error', () => {});
      await once(session, 'connect');
    });
    afterEach(() => session.destroy());

    /** Status, or the code the stream was reset with. */
    async function ask(headers: Record<string, string>): Promise<number | string> {
      try {
        const stream = session.request({ ':path': ITEMS, ...headers });
        const status = await Promise.race([
          once(stream, 'response').then(([got]) => Number((got as Record<string, unknown>)[':status'])),
          once(stream, 'close').then(() => `reset ${stream.rstCode}`),
        ]);
        stream.close();
        return status;
      } catch (error) {
        return String((error as NodeJS.ErrnoException).code);
      }
    }

    it('line ends in a path are no second request', async () => {
      const path = `${ITEMS} HTTP/1.1\r\nHost: localhost\r\n\r\n${HIDDEN}`;
      expect(await ask({ ':path': path })).to.not.equal(200);
    });

    it('an invalid path and an invalid authority are refused', async () => {
      expect(await ask({ ':path': '*' })).to.not.equal(200);
      expect(await ask({ ':authority': 'localhost\r\nx: y' })).to.not.equal(200);
      expect(await ask({ ':authority': 'evil.example', ':path': `${ITEMS}?skip=4` })).to.equal(421);
    });

    it('a client that opens and resets streams rapidly loses its session, or does no harm', async () => {
      for (let at = 0; at < 3000 && !session.destroyed && !session.closed; at += 1) {
        const stream = session.request({ ':path': `${ITEMS}?limit=${at + 1}` });
        stream.on('error', () => {});
        stream.close(constants.NGHTTP2_CANCEL);
        if (at % 200 === 0) await pause(1);
      }
      await pause(100);
      expect((await rawRequest(gateway.urls.http, get(ITEMS))).status).to.equal(200);
    });

    it('a client that reads nothing gets no further responses once its limit is reached', async () => {
      const page = Buffer.alloc(1_000_000, 97);
      gateway.core.answer = () => json(null, { body: [Buffer.from(page)] });
      session.setLocalWindowSize(65_535);
      const streams = Array.from({ length: 60 }, (_, at) => {
        const stream = session.request({
          ':path': `${FILES}${at}`,
          ':method': 'POST',
          authorization: 'Bearer open-management',
        });
        stream.on('error', () => {});
        stream.end('x');
        stream.pause();
        return stream;
      });
      await pause(500);
      const begun = gateway.core.requests.length;
      // Further requests do not start behind waiting ones.
      const late = session.request({ ':path': `${ITEMS}?skip=99` });
      late.on('error', () => {});
      await pause(300);
      expect(gateway.core.requests.length).to.equal(begun);
      const answered = once(late, 'response');
      for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      late.resume();
      const [headers] = (await answered) as [Record<string, unknown>];
      expect(headers[':status']).to.equal(200);
      gateway.core.answer = () => json({ ok: true });
    });
  });
});
