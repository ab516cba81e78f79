import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { fetchRaw } from '../support/clients/fetch-raw.ts';
import { open } from '../support/clients/raw-http.ts';
import { type FakeContent, fakeContent } from '../support/gateway/fake-content.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const PATH = `/${PROJECTS.open}/items`;

describe('keys of the response cache', () => {
  let gateway: TestGateway;
  let content: FakeContent;
  beforeEach(async () => {
    content = fakeContent();
    gateway = await runGateway({
      core: content.core,
      settings: { allowedHosts: ['content.example.org'], trustedProxies: ['127.0.0.1'] },
      plugins: { 'https-only': { required: false } },
    });
    content.publish(PATH, 'listing');
    content.publish(`/${PROJECTS.secured}/items`, 'secret');
  });
  afterEach(async () => {
    content.release();
    await gateway.end();
  });
  const read = (path: string, headers: Record<string, string> = {}) =>
    fetchRaw(`${gateway.urls.http}/delivery${path}`, headers);

  /** Reads one after the other; returns how many reached core. */
  async function calls(...paths: string[]): Promise<number> {
    const before = content.calls;
    for (const path of paths) expect((await read(path)).status, path).to.equal(200);
    return content.calls - before;
  }

  it('are one for all spellings of a request', async () => {
    const same = [
      `${PATH}?system.type=a%20b&limit=3`,
      `${PATH}/?system.type=a+b&limit=3`,
      `//${PROJECTS.open}//items?system.type=a%20%62&%6cimit=3`,
      `/${PROJECTS.open.toUpperCase()}/items?&system.type=a%20b&&limit=3`,
      `${PATH}?utm_source=x&system.type=a%20b&limit=3&fbclid=1`,
      `/${PROJECTS.open}/%69tems?system.type=a%20b&limit=3`,
    ];
    expect(await calls(...same)).to.equal(1);
    expect(content.core.requests[0]).to.include({ path: PATH, query: 'system.type=a%20b&limit=3' });
  });

  it('differ where the answer may differ', async () => {
    const others = [
      PATH,
      `${PATH}?limit=3&skip=1`,
      `${PATH}?skip=1&limit=3`,
      `${PATH}?LIMIT=3`,
      `${PATH}?system.type=a`,
      `${PATH}?system.type=A`,
      `${PATH}?system.type=`,
      `${PATH}?system.type`,
      `${PATH}?system.type=a%26limit%3D3`,
      `${PATH}?system.type=a&limit=3`,
      `${PATH}?elements=a,b`,
      `${PATH}?elements=b,a`,
    ];
    // LIMIT is no parameter, so it is dropped.
    expect(await calls(...others)).to.equal(others.length - 1);
  });

  it('differ by host, and hosts of others get no answer', async () => {
    await read(PATH, { host: 'content.example.org' });
    await read(PATH, { host: 'CONTENT.example.org' });
    await read(PATH);
    expect((await read(PATH, { host: 'evil.example' })).status).to.equal(421);
    await read(PATH, { host: 'content.example.org', 'x-forwarded-proto': 'https' });
    const bases = content.core.requests.map(({ bases: { self } }) => self);
    expect(bases).to.deep.equal([
      'http://content.example.org/delivery',
      `${gateway.urls.http}/delivery`,
      'https://content.example.org/delivery',
    ]);
  });

  it('never lead to an answer without the right token', async () => {
    const secured = `/${PROJECTS.secured}/items`;
    const key = { authorization: 'Bearer secured-delivery-primary' };
    const first = await read(secured, key);
    expect(first.status).to.equal(200);
    expect(first.headers['cache-control']).to.match(/^private/);
    expect((await read(secured, key)).headers['cache-status']).to.equal('headwater; hit');
    const unauthorized: Record<string, string>[] = [
      {},
      { authorization: 'Bearer open-delivery-primary' },
      { authorization: 'Bearer secured-preview-primary' },
      { authorization: 'Bearer secured-delivery-primary x' },
    ];
    for (const headers of unauthorized) {
      const refused = await read(secured, headers);
      expect(refused.status).to.be.oneOf([401, 403]);
      expect(refused.body).to.not.include('secret');
      expect(refused.headers['cache-control']).to.equal('no-store');
    }
    expect(content.calls).to.equal(1);
  });

  it('differ between delivery and preview', async () => {
    await read(PATH);
    const key = { authorization: 'Bearer open-preview-primary' };
    await fetchRaw(`${gateway.urls.http}/preview${PATH}`, key);
    expect(content.core.requests.map(({ surface }) => surface)).to.deep.equal(['delivery', 'preview']);
  });

  it('do not exist for what cannot be decoded: core answers, and nothing is kept', async () => {
    const before = content.calls;
    for (const path of [`${PATH}?system.type=%zz`, `${PATH}?limit=%00`, `${PATH}?a=${'x'.repeat(20_000)}`]) {
      await read(path);
      expect((await read(path)).headers['cache-status'], path.slice(0, 80)).to.equal('headwater; fwd=bypass');
    }
    expect(content.calls - before).to.equal(6);
  });

  it('outlive clients that disconnect at any moment', async () => {
    content.hold = true;
    const host = `Host: 127.0.0.1\r\n`;
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(gateway.urls.http)));
    for (const [at, socket] of sockets.entries()) {
      socket.on('error', () => {});
      const wait = at % 2 === 0 ? 'X-SVC-Wait-For-Loading-New-Content: true\r\n' : '';
      socket.write(`GET /delivery${PATH}?limit=${at % 3 || 1} HTTP/1.1\r\n${host}${wait}\r\n`);
    }
    await pause(50);
    for (const socket of sockets) socket.destroy();
    content.publish(PATH, 'another');
    await pause(20);
    content.hold = false;
    content.release();
    await pause(20);
    content.release();
    const answer = await read(`${PATH}?limit=1`);
    expect(JSON.parse(answer.body).text).to.equal('another');
    expect((await read(`${PATH}?limit=1`)).headers['cache-status']).to.equal('headwater; hit');
    expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('a stream ends when its client disconnects', async () => {
    let stopped = 0;
    let calls = 0;
    content.core.answer = async () => {
      calls += 1;
      await pause(30);
      return { status: 200, headers: {}, body: endless(), sequence: 1 };
    };
    async function* endless() {
      try {
        for (;;) {
          yield Buffer.alloc(65_536);
          await pause(1);
        }
      } finally {
        stopped += 1;
      }
    }
    const socket = await open(gateway.urls.http);
    socket.write(`GET /delivery${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    await until(() => calls === 1);
    await pause(50);
    socket.destroy();
    await until(() => stopped === calls);
    expect([calls, stopped]).to.deep.equal([1, 1]);
  });
});
