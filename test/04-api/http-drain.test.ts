import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { get, open, parseAnswer, rawRequest, readAll } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { longTest } from '../support/long-form.ts';
import { leastOf } from '../support/measure/least-of.ts';
import { until } from '../support/until.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;

describe('a shutdown', () => {
  let gateway: TestGateway;
  let release: () => void;
  beforeEach(start);
  afterEach(() => gateway.end());

  async function start(drainSeconds = 1): Promise<void> {
    gateway = await runGateway({ tls: true, unlimited: true, settings: { drainSeconds } });
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    gateway.core.answer = async ({ query }) => {
      if (query === 'skip=9') await held;
      return json({ done: true });
    };
  }

  /** The shortest of several stops, each of a new gateway, in the state that `prepare` brings it to. */
  async function stopTakes(allowed: number, prepare: () => Promise<() => unknown>): Promise<number> {
    const { milliseconds } = await leastOf(allowed, async () => {
      const after = await prepare();
      const began = performance.now();
      await gateway.close();
      const took = performance.now() - began;
      await after();
      await gateway.end();
      await start();
      return { milliseconds: took };
    });
    return milliseconds;
  }

  async function requestsInCore(count: number): Promise<void> {
    await until(() => gateway.core.requests.length >= count);
    expect(gateway.core.requests.length).to.equal(count);
  }

  for (const scheme of ['http', 'https'] as const) {
    it(`lets a running request over ${scheme} finish and accepts no new one`, async () => {
      const url = gateway.urls[scheme] ?? '';
      const socket = await open(url);
      socket.write(get(`${ITEMS}?skip=9`, { Connection: 'keep-alive' }));
      await requestsInCore(1);
      const closing = gateway.close();
      let refused: unknown;
      await until(async () => {
        refused = await open(url).then(
          (opened) => void opened.destroy(),
          (error: NodeJS.ErrnoException) => error.code,
        );
        return refused !== undefined;
      });
      expect(refused).to.equal('ECONNREFUSED');
      const answer = readAll(socket);
      release();
      expect(parseAnswer(await answer)).to.include({ status: 200, body: '{"done":true}' });
      await closing;
    });
  }

  it('closes a connection with its last response, also with pipelined requests', async () => {
    const socket = await open(gateway.urls.http);
    const request = (skip: number) => get(`${ITEMS}?skip=${skip}`, { Connection: 'keep-alive' });
    socket.write(request(9));
    await requestsInCore(1);
    const answer = readAll(socket);
    const closing = gateway.close();
    await pause(20);
    socket.write(request(1) + request(2));
    await pause(20);
    release();
    const text = String(await answer);
    expect(text.match(/HTTP\/1.1 200 OK/g)).to.have.length(3);
    expect(text.match(/^Connection: [\w-]+/gm)).to.deep.equal([
      'Connection: keep-alive',
      'Connection: keep-alive',
      'Connection: close',
    ]);
    await closing;
  });

  for (const scheme of ['http', 'https'] as const) {
    (scheme === 'http' ? it : longTest)(
      `sends a slow reader over ${scheme} the whole of its response`,
      async () => {
        // A busy machine takes more than a second to send it.
        await gateway.end();
        await start(10);
        const pieces = Array.from({ length: 30 }, () => Buffer.alloc(1_000_000, 'a'));
        gateway.core.answer = () => ({ ...json({}), body: pieces });
        const socket = await open(gateway.urls[scheme] ?? '');
        socket.write(get(ITEMS, { Connection: 'keep-alive' }));
        await once(socket, 'readable');
        const closing = gateway.close();
        // Nothing is read while the service closes idle connections.
        await pause(500);
        const { headers, body } = parseAnswer(await readAll(socket));
        expect(body.length).to.equal(Number(headers['content-length'])).and.to.equal(30_000_000);
        await closing;
      },
    );

    it(`answers requests in flight on idle connections over ${scheme}`, async () => {
      const sockets = await Promise.all(Array.from({ length: 5 }, () => open(gateway.urls[scheme] ?? '')));
      for (const socket of sockets) {
        socket.write(get(ITEMS, { Connection: 'keep-alive' }));
        await once(socket, 'data');
      }
      const closing = gateway.close();
      await pause(20);
      // All of them within the second after which an idle connection is closed.
      const answers = sockets.map((socket) => {
        socket.write(get(ITEMS, { Connection: 'keep-alive' }));
        return readAll(socket);
      });
      for (const answer of answers) {
        const { status, headers } = parseAnswer(await answer);
        expect(status).to.equal(200);
        expect(headers['connection']).to.equal('close');
      }
      await closing;
    });
  }

  it('answers connections that are not accepted yet', async () => {
    const { hostname, port } = new URL(gateway.urls.http);
    const answers = Array.from({ length: 9 }, () => {
      const socket = connect(Number(port), hostname);
      socket.write(get(ITEMS));
      return readAll(socket);
    });
    const closing = gateway.close();
    for (const answer of answers) expect(parseAnswer(await answer).status).to.equal(200);
    await closing;
  });

  it('serves and reports that it is not ready for `stopNoticeSeconds`', async () => {
    await gateway.end();
    gateway = await runGateway({
      settings: { drainSeconds: 30, stopNoticeSeconds: 2 },
      // The report of before the stop is not the one of after it.
      plugins: { health: { rememberMilliseconds: 60_000 } },
    });
    const ask = (path: string, headers = {}) => rawRequest(gateway.urls.http, get(path, headers));
    expect((await ask('/health/ready')).status).to.equal(200);
    const began = performance.now();
    const closing = gateway.close();
    expect((await ask('/health/ready')).status).to.equal(503);
    const answer = await ask(ITEMS, { Connection: 'keep-alive' });
    expect(answer.status).to.equal(200);
    expect(answer.headers['connection']).to.equal('close');
    await closing;
    expect(performance.now() - began).to.be.at.least(1990);
    const refused = await open(gateway.urls.http).catch((error: NodeJS.ErrnoException) => error.code);
    expect(refused).to.equal('ECONNREFUSED');
  });

  it('answers HTTP/2 streams in flight', async () => {
    const session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
    await once(session, 'connect');
    const closing = gateway.close();
    // The client sends the stream before it reads GOAWAY.
    const stream = session.request({ ':path': ITEMS });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).to.equal(200);
    stream.resume();
    await closing;
  });

  it('lets running HTTP/2 streams finish', async () => {
    const session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
    const stream = session.request({ ':path': `${ITEMS}?skip=9` });
    const response = once(stream, 'response');
    await requestsInCore(1);
    const closing = gateway.close();
    await pause(50);
    release();
    const [headers] = (await response) as [Record<string, unknown>];
    expect(headers[':status']).to.equal(200);
    stream.resume();
    await closing;
  });

  it('does not wait for idle connections', async () => {
    const took = await stopTakes(500, async () => {
      const idle = await open(gateway.urls.http);
      idle.write(get(ITEMS, { Connection: 'keep-alive' }));
      await once(idle, 'data');
      const idleSession = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
      await once(idleSession, 'connect');
      return () => {
        idle.destroy();
        idleSession.destroy();
      };
    });
    expect(took).to.be.below(500);
  });

  it('destroys connections whose requests have not finished after the time', async () => {
    const took = await stopTakes(2500, async () => {
      const socket = await open(gateway.urls.http);
      socket.write(get(`${ITEMS}?skip=9`));
      await requestsInCore(1);
      const answer = readAll(socket);
      return async () => {
        expect((await answer).length).to.equal(0);
        release();
      };
    });
    expect(took).to.be.within(900, 2500);
  });

  it('makes the readiness probe fail from the first moment', async () => {
    const socket = await open(gateway.urls.http);
    socket.write(get(`${ITEMS}?skip=9`, { Connection: 'keep-alive' }));
    await requestsInCore(1);
    // A probe on a connection that is open already.
    const probe = await open(gateway.urls.http);
    probe.write('GET /health/ready HTTP/1.1\r\nHost: x\r\n');
    await pause(50);
    const closing = gateway.close();
    probe.write('Connection: close\r\n\r\n');
    expect(parseAnswer(await readAll(probe)).status).to.equal(503);
    release();
    await closing;
    socket.destroy();
  });

  describe('does not wait for connections without a request', () => {
    for (const scheme of ['http', 'https'] as const) {
      it(`opened over ${scheme} and never used`, async () => {
        const took = await stopTakes(600, async () => {
          const url = gateway.urls[scheme] ?? '';
          const sockets = await Promise.all(Array.from({ length: 5 }, () => open(url)));
          // The service must have accepted them.
          expect((await rawRequest(url, get(ITEMS))).status).to.equal(200);
          return () => {
            for (const socket of sockets) socket.destroy();
          };
        });
        expect(took).to.be.below(600);
      });
    }

    it('without a TLS handshake on the port for HTTPS', async () => {
      const took = await stopTakes(600, async () => {
        const socket = await open((gateway.urls.https ?? '').replace('https', 'http'));
        socket.on('error', () => {});
        expect((await rawRequest(gateway.urls.https ?? '', get(ITEMS))).status).to.equal(200);
        return () => socket.destroy();
      });
      expect(took).to.be.below(600);
    });

    longTest('that fetch opens after an abort in the middle of a body', async () => {
      const took = await stopTakes(700, async () => {
        const piece = Buffer.alloc(65_536);
        gateway.core.answer = async ({ body }) => {
          if (body) for await (const _chunk of body);
          return json(null, {
            body: (async function* () {
              for (;;) yield piece;
            })(),
          });
        };
        const calls = Array.from({ length: 8 }, async (_, at) => {
          const aborting = new AbortController();
          const upload = at % 2 === 0;
          setTimeout(() => aborting.abort(), 30 + at * 10);
          const path = upload ? `/manage/v2/projects/${PROJECTS.open}/files/a` : ITEMS;
          const answer = await fetch(gateway.urls.http + path, {
            signal: aborting.signal,
            ...(upload && { method: 'POST', body: Buffer.alloc(30_000_000) }),
            headers: { authorization: 'Bearer open-management' },
          });
          await answer.arrayBuffer();
        });
        const ends = await Promise.allSettled(calls);
        expect(ends.map(({ status }) => status)).to.deep.equal(Array(8).fill('rejected'));
        return () => {};
      });
      expect(took).to.be.below(700);
    });
  });
});
