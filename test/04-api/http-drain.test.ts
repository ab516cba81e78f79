import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { json, PROJECTS } from '../support/fake-core.ts';
import { get, open, parseAnswer, readAll } from '../support/raw-http.ts';
import { runGateway, type TestGateway } from '../support/run-gateway.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;

describe('stopping', () => {
  let gateway: TestGateway;
  let release: () => void;
  beforeEach(async () => {
    gateway = await runGateway({ tls: true });
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    gateway.core.answer = async ({ query }) => {
      if (query === 'slow') await held;
      return json({ done: true });
    };
  });
  afterEach(() => gateway.end());

  async function arrived(count: number): Promise<void> {
    for (let round = 0; round < 200 && gateway.core.requests.length < count; round += 1) await pause(5);
    expect(gateway.core.requests.length).to.equal(count);
  }

  for (const scheme of ['http', 'https'] as const) {
    it(`lets a running request over ${scheme} finish and takes no new one`, async () => {
      const url = gateway.urls[scheme] ?? '';
      const socket = await open(url);
      socket.write(get(`${ITEMS}?slow`, { Connection: 'keep-alive' }));
      await arrived(1);
      const closing = gateway.close();
      await pause(50);
      const refused = await open(url).catch((error: NodeJS.ErrnoException) => error.code);
      expect(refused).to.equal('ECONNREFUSED');
      const answer = readAll(socket);
      release();
      expect(parseAnswer(await answer)).to.include({ status: 200, body: '{"done":true}' });
      await closing;
    });
  }

  it('lets running HTTP/2 streams finish', async () => {
    const session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
    const stream = session.request({ ':path': `${ITEMS}?slow` });
    const response = once(stream, 'response');
    await arrived(1);
    const closing = gateway.close();
    await pause(50);
    release();
    const [headers] = (await response) as [Record<string, unknown>];
    expect(headers[':status']).to.equal(200);
    stream.resume();
    await closing;
  });

  it('does not wait for idle connections', async () => {
    const idle = await open(gateway.urls.http);
    idle.write(get(ITEMS, { Connection: 'keep-alive' }));
    await once(idle, 'data');
    const idleSession = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
    await once(idleSession, 'connect');
    const began = performance.now();
    await gateway.close();
    expect(performance.now() - began).to.be.below(500);
    idle.destroy();
    idleSession.destroy();
  });

  it('cuts what has not finished after the time', async () => {
    const socket = await open(gateway.urls.http);
    socket.write(get(`${ITEMS}?slow`));
    await arrived(1);
    const answer = readAll(socket);
    const began = performance.now();
    await gateway.close();
    expect(performance.now() - began).to.be.within(900, 2500);
    expect((await answer).length).to.equal(0);
    release();
  });

  it('is said by the readiness probe from the first moment', async () => {
    const socket = await open(gateway.urls.http);
    socket.write(get(`${ITEMS}?slow`, { Connection: 'keep-alive' }));
    await arrived(1);
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
});
