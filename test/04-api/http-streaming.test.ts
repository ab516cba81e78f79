import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ServiceError } from '../../core/contract.ts';
import { get, open, rawRequest, readAll } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const CHUNK = Buffer.alloc(16_384, 'a');

/** An endless source that counts its chunks and records whether it was stopped. */
function source(total = Number.POSITIVE_INFINITY) {
  const state = { taken: 0, stopped: false };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (; state.taken < total; state.taken += 1) yield CHUNK;
    } finally {
      state.stopped = true;
    }
  }
  return { state, chunks };
}

describe('responses over HTTP', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ tls: true, unlimited: true });
  });
  after(() => gateway.end());
  beforeEach(() => {
    gateway.core.answer = () => json({ ok: true });
    gateway.lines.length = 0;
  });

  it('in several chunks are sent as one, with Content-Length', async () => {
    gateway.core.answer = () =>
      json(null, { body: [Buffer.from('{"a":'), new Uint8Array([0x31]), Buffer.from('}')] });
    const answer = await fetch(gateway.urls.http + ITEMS, { headers: { 'accept-encoding': 'identity' } });
    expect(answer.headers.get('content-length')).to.equal('7');
    expect(await answer.text()).to.equal('{"a":1}');
  });

  it('to HEAD have the headers of GET and no body', async () => {
    const answer = await rawRequest(gateway.urls.http, get(ITEMS).replace('GET', 'HEAD'));
    expect(answer).to.deep.include({ status: 200, body: '' });
    expect(answer.headers).to.include({ 'content-length': '11', etag: '"fake"' });
    expect(gateway.core.requests.at(-1)?.method).to.equal('GET');
  });

  it('without a body keep their status', async () => {
    for (const status of [201, 204, 304]) {
      gateway.core.answer = () => ({ status, headers: { location: '/x' }, body: null });
      const answer = await rawRequest(gateway.urls.http, get(ITEMS));
      expect(answer).to.include({ status, body: '' });
      expect(answer.headers['content-type']).to.equal(undefined);
      expect(answer.headers['location']).to.equal('/x');
    }
  });

  it('that stream arrive completely', async () => {
    const { state, chunks } = source(200);
    gateway.core.answer = () => json(null, { body: chunks() });
    const answer = await fetch(gateway.urls.http + ITEMS);
    expect(answer.headers.get('content-length')).to.equal(null);
    expect((await answer.arrayBuffer()).byteLength).to.equal(200 * CHUNK.length);
    expect(state.stopped).to.equal(true);
  });

  it('that stream nothing are empty', async () => {
    gateway.core.answer = () => json(null, { body: source(0).chunks() });
    const answer = await fetch(gateway.urls.http + ITEMS);
    expect(answer.status).to.equal(200);
    expect(await answer.text()).to.equal('');
  });

  it('that stream are produced no faster than the client reads them', async () => {
    const { state, chunks } = source();
    gateway.core.answer = () => json(null, { body: chunks() });
    const socket = await open(gateway.urls.http);
    socket.pause();
    socket.write(get(ITEMS));
    let early = -1;
    await until(async () => {
      early = state.taken;
      await pause(200);
      return state.taken === early;
    });
    expect(early * CHUNK.length).to.be.below(16_000_000);
    socket.destroy();
    await until(() => state.stopped);
  });

  it('whose client disconnects in the middle stop their source and affect no other request', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { state, chunks } = source();
      gateway.core.answer = () => json(null, { body: chunks() });
      const socket = await open(gateway.urls.http);
      socket.write(get(ITEMS));
      await once(socket, 'data');
      socket.destroy();
      await until(() => state.stopped);
    }
    gateway.core.answer = () => json({ ok: true });
    expect((await fetch(gateway.urls.http + ITEMS)).status).to.equal(200);
    expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  longTest('whose client stops reading stop their source after the timeout', async () => {
    const shortTimeout = await runGateway({
      tls: true,
      plugins: { limits: { headersSeconds: 1, requestSeconds: 1 } },
    });
    const states: { stopped: boolean }[] = [];
    shortTimeout.core.answer = () => {
      const { state, chunks } = source();
      states.push(state);
      return json(null, { body: chunks() });
    };
    const sockets = await Promise.all(
      [shortTimeout.urls.http, shortTimeout.urls.https ?? ''].map(async (url) => {
        const socket = await open(url);
        socket.pause();
        socket.on('error', () => {});
        socket.write(get(ITEMS));
        return socket;
      }),
    );
    const session = connectHttp2(shortTimeout.urls.https ?? '', { rejectUnauthorized: false });
    session.on('error', () => {});
    const stream = session.request({ ':path': ITEMS });
    stream.on('error', () => {});
    stream.pause();
    await until(() => states.length === 3 && states.every(({ stopped }) => stopped));
    expect(states).to.have.lengthOf(3);
    expect(states.map(({ stopped }) => stopped)).to.deep.equal([true, true, true]);
    for (const socket of sockets) socket.destroy();
    session.destroy();
    await shortTimeout.end();
  });

  it('whose client resets the stream in HTTP/2 stop their source', async () => {
    const { state, chunks } = source();
    gateway.core.answer = () => json(null, { body: chunks() });
    const session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
    const stream = session.request({ ':path': ITEMS });
    await once(stream, 'data');
    stream.close();
    await until(() => state.stopped);
    gateway.core.answer = () => json({ ok: true });
    const second = session.request({ ':path': ITEMS });
    const [headers] = (await once(second, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).to.equal(200);
    second.resume();
    session.close();
  });

  it('whose client disconnects before core has answered affect no other request', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { state, chunks } = source();
    gateway.core.answer = async () => {
      await held;
      return json(null, { body: chunks() });
    };
    const before = gateway.core.requests.length;
    const socket = await open(gateway.urls.http);
    socket.write(get(ITEMS));
    await until(() => gateway.core.requests.length > before);
    socket.destroy();
    await pause(50);
    release();
    await until(() => state.stopped);
  });

  it('whose source fails before its first chunk are errors', async () => {
    const failing = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new ServiceError('unavailable', 'The database is unavailable.')),
      }),
    };
    gateway.core.answer = () => json(null, { body: failing });
    const answer = await fetch(gateway.urls.http + ITEMS);
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('etag')).to.equal(null);
    expect((await answer.json()) as object).to.include({ message: 'The database is unavailable.' });
  });

  it('whose source fails later end with a connection error and a log line', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield CHUNK;
      throw new Error('the disk failed');
    }
    gateway.core.answer = () => json(null, { body: failing() });
    const error = await fetch(gateway.urls.http + ITEMS)
      .then((answer) => answer.text())
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error);
    expect(gateway.lines.some(({ text }) => text === 'A streamed answer failed.')).to.equal(true);
  });

  it('that stream are not started for HEAD', async () => {
    const { state, chunks } = source();
    gateway.core.answer = () => json(null, { body: chunks() });
    const answer = await rawRequest(gateway.urls.http, get(ITEMS).replace('GET', 'HEAD'));
    expect(answer).to.deep.include({ status: 200, body: '' });
    expect(state.taken).to.equal(0);
  });

  it('on one connection come in order', async () => {
    const socket = await open(gateway.urls.http);
    const keep = { Connection: 'keep-alive' };
    socket.write(get(`${ITEMS}?n=1`, keep) + get(`${ITEMS}?n=2`, keep) + get(`${ITEMS}?n=3`));
    const text = (await readAll(socket)).toString();
    expect(text.match(/HTTP\/1\.1 200/g)).to.have.lengthOf(3);
  });

  describe('to requests with a body', () => {
    const post = (body: string | ReadableStream) =>
      fetch(`${gateway.urls.http}/manage/v2/projects/${PROJECTS.open}/items`, {
        method: 'POST',
        body,
        headers: { authorization: 'Bearer open-management', 'content-type': 'application/json' },
        duplex: 'half',
      } as RequestInit);

    it('core reads the body chunk by chunk', async () => {
      gateway.core.answer = async ({ body }) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of body ?? []) chunks.push(chunk);
        return json({ received: Buffer.concat(chunks).toString() });
      };
      expect(await (await post('{"a":1}')).json()).to.deep.equal({ received: '{"a":1}' });
    });

    it('a body of unknown length over the limit: 413', async () => {
      const small = await runGateway({ plugins: { limits: { bodyBytes: 1000 } } });
      small.core.answer = async ({ body }) => {
        for await (const _ of body ?? []);
        return json({});
      };
      const path = `/manage/v2/projects/${PROJECTS.open}/items`;
      const chunk = `400\r\n${'a'.repeat(0x400)}\r\n`;
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer open-management\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const answer = await rawRequest(small.urls.http, `${head}${chunk}${chunk}0\r\n\r\n`);
      expect(answer.status).to.equal(413);
      await small.end();
    });

    it('a client with Expect: 100-continue sends its body when core starts to read, and never with a wrong key', async () => {
      const path = `/manage/v2/projects/${PROJECTS.open}/items`;
      const ask = (key: string) =>
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
      gateway.core.answer = async ({ body }) => {
        for await (const chunk of body ?? []) return json({ received: Buffer.from(chunk).toString() });
        return json({});
      };
      const socket = await open(gateway.urls.http);
      socket.write(ask('open-management'));
      const [first] = (await once(socket, 'data')) as [Buffer];
      expect(first.toString()).to.equal('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write('abc');
      expect((await readAll(socket)).toString()).to.include('{"received":"abc"}');
      expect((await rawRequest(gateway.urls.http, ask('wrong'))).status).to.equal(401);
    });

    it('core may refuse without reading the whole body, and the client gets the error', async () => {
      gateway.core.answer = async ({ body }) => {
        for await (const _ of body ?? []) break;
        throw new ServiceError('invalidBody', 'Not like this.');
      };
      const answer = await post('a'.repeat(300_000));
      expect(answer.status).to.equal(400);
      expect((await answer.json()) as object).to.include({ error_code: 5, message: 'Not like this.' });
    });

    it('a client that disconnects in the middle of its body affects no other request', async () => {
      let failure: unknown;
      gateway.core.answer = async ({ body }) => {
        try {
          for await (const _ of body ?? []);
        } catch (error) {
          failure = error;
          throw error;
        }
        return json({});
      };
      const socket = await open(gateway.urls.http);
      const path = `/manage/v2/projects/${PROJECTS.open}/items`;
      const before = gateway.core.requests.length;
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer open-management\r\nContent-Length: 1000\r\n\r\nabc`,
      );
      await until(() => gateway.core.requests.length > before);
      socket.destroy();
      await until(() => failure !== undefined);
      await pause(20);
      expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });
  });
});
