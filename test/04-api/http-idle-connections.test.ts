/** How long a connection stays open after a response: `keepAliveSeconds` of the plugin limits. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { get, open, parseAnswer, readAll } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { longTest } from '../support/long-form.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const ASK = `GET ${ITEMS} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('an idle connection', () => {
  let gateway: TestGateway;
  const run = async (keepAliveSeconds: number) => {
    gateway = await runGateway({ tls: true, plugins: { limits: { keepAliveSeconds } } });
  };
  const openSession = () => connectHttp2(gateway.urls.https!, { rejectUnauthorized: false });
  afterEach(() => gateway.end());

  it('is closed after its time', async () => {
    await run(1);
    const socket = await open(gateway.urls.http);
    socket.write(ASK);
    expect(parseAnswer(await readAll(socket)).status).to.equal(200);
  });

  longTest('is closed after its time over HTTP/2, and not while a request runs', async () => {
    await run(1);
    gateway.core.answer = async () => {
      await pause(2500);
      return json({ ok: true });
    };
    const session = openSession();
    const closed = once(session, 'close');
    const stream = session.request({ ':path': ITEMS });
    stream.resume();
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).to.equal(200);
    await closed;
  });

  it('does not exist where the time is 0: the last response closes it', async () => {
    await run(0);
    // The second one is cached.
    for (let round = 0; round < 2; round += 1) {
      const socket = await open(gateway.urls.http);
      socket.write(ASK);
      expect(parseAnswer(await readAll(socket)).headers['connection']).to.equal('close');
    }
    const socket = await open(gateway.urls.http);
    socket.write(ASK.repeat(2) + get(ITEMS));
    expect((await readAll(socket)).toString().split('HTTP/1.1 200 OK').length - 1).to.be.within(1, 3);
    const session = openSession();
    const closed = once(session, 'close');
    const stream = session.request({ ':path': ITEMS }).resume();
    await Promise.all([once(stream, 'end'), closed]);
  });
});
