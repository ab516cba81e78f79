import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { CancelSignal } from '../../core/contract.ts';
import { fetchRaw } from '../support/clients/fetch-raw.ts';
import { get, open, rawRequest } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const DELIVERY = `/delivery/${PROJECTS.open}/items`;
const MANAGE = `/manage/v2/projects/${PROJECTS.open}/items`;
const KEY = { authorization: 'Bearer open-management' };

describe('a client that disconnects', () => {
  let gateway: TestGateway;
  let signals: CancelSignal[];
  let release: () => void;

  beforeEach(async () => {
    gateway = await runGateway({ tls: true, unlimited: true });
    signals = [];
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    gateway.core.answer = async ({ signal }) => {
      if (signal) signals.push(signal);
      await held;
      return { ...json({ done: true }), tags: ['a'], sequence: 1 };
    };
  });
  afterEach(async () => {
    release();
    await gateway.end();
  });

  async function asked(count: number): Promise<void> {
    await until(() => signals.length >= count);
    expect(signals).to.have.length(count);
  }
  async function fired(index: number): Promise<void> {
    await until(() => signals[index]?.aborted === true);
  }

  for (const [surface, path] of Object.entries({ delivery: DELIVERY, manage: MANAGE })) {
    it(`cancels what core does for it over HTTP/1.1 (${surface})`, async () => {
      const socket = await open(gateway.urls.http);
      socket.write(get(path, KEY));
      await asked(1);
      expect(signals[0]?.aborted).to.equal(false);
      socket.destroy();
      await fired(0);
    });

    it(`cancels what core does for it over HTTP/2, and not the requests of other streams (${surface})`, async () => {
      const session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
      session.on('error', () => {});
      const first = session.request({ ':path': path, ...KEY });
      first.on('error', () => {});
      await asked(1);
      session.request({ ':path': `${path}?limit=2`, ...KEY }).on('error', () => {});
      await asked(2);
      first.close(8);
      await fired(0);
      expect(signals[1]?.aborted).to.equal(false);
      session.destroy();
      await fired(1);
    });
  }

  it('is not confused with one that has its answer', async () => {
    const answer = fetchRaw(gateway.urls.http + MANAGE, KEY);
    await asked(1);
    release();
    expect((await answer).status).to.equal(200);
    await pause(20);
    expect(signals[0]?.aborted).to.equal(false);
  });

  it('does not end a fetch that others wait for; the last one does, and the next request starts another', async () => {
    const [first, second] = [await open(gateway.urls.http), await open(gateway.urls.http)];
    first.write(get(DELIVERY));
    await asked(1);
    second.write(get(DELIVERY));
    await pause(50);
    first.destroy();
    await pause(50);
    expect(signals[0]?.aborted).to.equal(false);
    second.destroy();
    await fired(0);
    const next = rawRequest(gateway.urls.http, get(DELIVERY));
    await asked(2);
    release();
    expect((await next).status).to.equal(200);
    expect(signals[1]?.aborted).to.equal(false);
  });

  it('does not end a refresh in the background', async () => {
    release();
    await rawRequest(gateway.urls.http, get(DELIVERY));
    gateway.core.emit({ project: PROJECTS.open, tags: ['a'], sequence: 2 });
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    gateway.core.answer = async ({ signal }) => {
      if (signal) signals.push(signal);
      await held;
      return { ...json({ done: 'again' }), tags: ['a'], sequence: 2 };
    };
    const socket = await open(gateway.urls.http);
    socket.write(get(DELIVERY));
    await asked(2);
    socket.destroy();
    await pause(50);
    expect(signals[1]?.aborted).to.equal(false);
  });

  for (const [surface, path] of Object.entries({ delivery: DELIVERY, manage: MANAGE })) {
    for (const when of ['before', 'after'] as const) {
      it(`ends a stream ${when} its first chunk without an error in the log (${surface})`, async () => {
        let ended = false;
        gateway.core.answer = async ({ signal }) => {
          signals.push(signal!);
          const gone = new Promise<void>((resolve) => signal!.addEventListener('abort', resolve));
          async function* chunks() {
            try {
              if (when === 'before') await gone;
              yield Buffer.alloc(20_000);
              await gone;
              throw new Error('The request was cancelled.');
            } finally {
              ended = true;
            }
          }
          return { ...json(null), body: chunks() };
        };
        const session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
        const stream = session.request({ ':path': path, ...KEY });
        await asked(1);
        if (when === 'after') await once(stream, 'data');
        stream.close(8);
        await fired(0);
        await until(() => ended);
        await pause(20);
        session.destroy();
        expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
      });
    }
  }

  for (const scheme of ['http', 'https'] as const) {
    it(`leaves no body open where core has just made it (${scheme})`, async () => {
      let state = 'none';
      gateway.core.answer = async ({ signal }) => {
        signals.push(signal!);
        await new Promise<void>((resolve) => signal!.addEventListener('abort', resolve));
        async function* chunks() {
          state = 'open';
          try {
            for (;;) yield Buffer.alloc(100_000);
          } finally {
            state = 'ended';
          }
        }
        return { ...json(null), body: chunks() };
      };
      const client = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
      const socket = await open(gateway.urls.http);
      if (scheme === 'https') client.request({ ':path': MANAGE, ...KEY }).on('error', () => {});
      else socket.write(get(MANAGE, KEY));
      await asked(1);
      client.destroy();
      socket.destroy();
      await fired(0);
      await until(() => state === 'ended');
    });
  }

  it('in the middle of its body over HTTP/2 leaves no error in the log', async () => {
    let failed: unknown;
    gateway.core.answer = async ({ body, signal }) => {
      signals.push(signal!);
      try {
        for await (const _ of body!);
      } catch (error) {
        failed = error;
        throw error;
      }
      return json({});
    };
    const session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
    session.on('error', () => {});
    const headers = { ...KEY, 'content-type': 'application/json' };
    const stream = session.request({ ':path': MANAGE, ':method': 'POST', ...headers });
    stream.on('error', () => {});
    stream.write('{"name":');
    await asked(1);
    session.destroy();
    await until(() => failed !== undefined);
    await pause(20);
    expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('cancels what core does for a HEAD over HTTP/2, which is counted', async () => {
    const session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
    const stream = session.request({ ':path': MANAGE, ':method': 'HEAD', ...KEY });
    stream.on('error', () => {});
    await asked(1);
    stream.close(8);
    await fired(0);
    session.destroy();
    const metrics = async () => (await fetchRaw(`${gateway.urls.http}/metrics`)).body;
    await until(async () => /aborted_total\{surface="manage"\} 1/.test(await metrics()));
  });
});
