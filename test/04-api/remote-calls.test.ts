import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Cancellation, ServiceError } from '../../core/contract.ts';
import { connectCore, type RemoteCore } from '../../core/remote/client/connect-core.ts';
import { CoreConnection } from '../../core/remote/client/core-connection.ts';
import { json } from '../support/gateway/fake-core.ts';
import {
  clientOptions,
  connectTo,
  coreRequest,
  INTERNAL_TOKEN,
  type ServedFakeCore,
  serveFakeCore,
  socketFolder,
} from '../support/gateway/remote-core.ts';
import { leastOf, leastTimeOf } from '../support/measure/least-of.ts';
import { type Relay, startRelay } from '../support/network/relay.ts';
import { until } from '../support/until.ts';

const PIECE = Buffer.alloc(65_536, 'x');

describe('calls of a core over HTTP', () => {
  let served: ServedFakeCore;
  let relay: Relay;
  let remote: RemoteCore;

  beforeEach(async () => {
    served = await serveFakeCore();
    relay = await startRelay(served.port);
    remote = await connectTo([`127.0.0.1:${relay.port}`]);
  });
  afterEach(async () => {
    await remote.close();
    await relay.close();
    await served.close();
  });

  describe('carry', () => {
    it('request and answer, with every field', async () => {
      const request = coreRequest({
        path: '/project/items/%C3%A9',
        query: 'name=ä',
        headers: { accept: 'text/ä "quoted"\\', range: 'bytes=0-1' },
        principal: { kind: 'key', key: 'k', keyKind: 'management', user: null },
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        client: '::1',
        known: { tags: ['item:ä'], sequence: 7 },
        atLeast: 'now',
      });
      served.fake.answer = () => json({ ok: 1 }, { status: 206, tags: ['a', 'ü\u{1f600}'], sequence: 9 });
      const answer = await remote.handle(request);
      const { signal: _, timing: __, ...received } = served.fake.requests[0]!;
      expect(received).to.deep.equal(request);
      expect(answer).to.deep.include({ status: 206, tags: ['a', 'ü\u{1f600}'], sequence: 9 });
      expect(await textOf(answer.body)).to.equal('{"ok":1}');
    });

    it('answers without a body, with an empty one, and in several pieces', async () => {
      served.fake.answer = () => json(0, { status: 304, body: null });
      expect((await remote.handle(coreRequest())).body).to.equal(null);
      served.fake.answer = () => json(0, { body: [] });
      expect(await textOf((await remote.handle(coreRequest())).body)).to.equal('');
      const pieces = [Buffer.from('a'), Buffer.alloc(0), Buffer.from('b')];
      served.fake.answer = () => json(0, { body: pieces });
      expect(await textOf((await remote.handle(coreRequest())).body)).to.equal('ab');
      served.fake.answer = () => json(0, { body: Array.from({ length: 40 }, () => PIECE) });
      expect((await textOf((await remote.handle(coreRequest())).body)).length).to.equal(40 * PIECE.length);
    });

    it('an error with tags, sequence, headers and findings', async () => {
      const validationErrors = [{ message: 'wrong ä', path: 'a.b', line: 3, position: 4 }];
      const more = { headers: { 'retry-after': '3' }, validationErrors, tags: ['t'], sequence: 12 };
      served.fake.answer = () => {
        throw new ServiceError('invalidBody', 'What is wrong: ü.', more);
      };
      const error = await failure(remote.handle(coreRequest()));
      expect(error).to.be.instanceOf(ServiceError);
      expect(error).to.include({
        errorName: 'invalidBody',
        message: 'What is wrong: ü.',
        code: 5,
        status: 400,
      });
      expect(error).to.deep.include(more);
    });

    it('an unexpected error as internal, without its message; core logs it', async () => {
      served.fake.answer = () => {
        throw new Error('a secret of core');
      };
      const error = await failure(remote.handle(coreRequest()));
      expect(error).to.include({ errorName: 'internal' });
      expect(String(error)).to.not.include('secret');
      expect(served.log.filter(({ level }) => level === 'error')).to.have.length(1);
    });

    it('lookups, usage and quotas', async () => {
      const [id] = served.fake.projects.keys();
      expect(await remote.access.project(id!)).to.deep.equal(served.fake.projects.get(id!));
      expect(await remote.access.project('none')).to.equal(undefined);
      expect(await remote.access.key('none')).to.equal(undefined);
      expect(await remote.access.isAdminToken('none')).to.equal(false);
      const counts = [{ project: id!, surface: 'delivery', day: '2026-11-20', calls: 3 }] as const;
      await remote.usage.add({ source: 's', number: 1, counts });
      expect(served.fake.counts).to.deep.equal(counts);
      expect(await remote.usage.quotas(id!)).to.deep.equal([]);
      expect(await remote.openapi()).to.have.property('openapi', '3.1.0');
      expect((await remote.health()).ok).to.equal(true);
    });
  });

  describe('whose answer breaks off', () => {
    const broken = async function* () {
      yield PIECE;
      await pause(20);
      throw new Error('the disk is gone');
    };

    it('while it is streamed fail for the reader, wherever it is', async () => {
      served.fake.answer = () => json(0, { body: broken() });
      const answer = await remote.handle(coreRequest());
      expect(await failure(textOf(answer.body))).to.be.instanceOf(Error);
      expect(served.log.map(({ text }) => text)).to.deep.equal(['A call failed.']);
      expect(served.log[0]?.fields).to.have.property('error').that.is.instanceOf(Error);
      served.fake.answer = () => json({ ok: true });
      expect((await remote.handle(coreRequest())).status).to.equal(200);
    });

    it('because the connection is cut fail as well', async () => {
      served.fake.answer = () => json(0, { body: endless() });
      const { body } = await remote.handle(coreRequest());
      const source = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      await source.next();
      relay.cut();
      expect(await failure(drain(source))).to.be.instanceOf(Error);
    });

    for (const [name, answer] of [
      ['is shorter than its length', 'content-length: 20\r\n\r\nshort'],
      ['ends within a chunk', 'transfer-encoding: chunked\r\n\r\n14\r\nshort'],
      ['ends without the last chunk', 'transfer-encoding: chunked\r\n\r\n5\r\nshort\r\n'],
    ] as const)
      for (const kind of ['whole', 'stream'] as const)
        it(`because it ${name} fail, if it is a ${kind} one`, async () => {
          const head = JSON.stringify({ status: 200, headers: {}, body: kind });
          const lines = `headwater-outcome: answer\r\nheadwater-head: ${head}\r\n${answer}`;
          const between = await answering(served.port, `HTTP/1.1 200 OK\r\n${lines}`);
          const client = await connectTo([`127.0.0.1:${between.port}`]);
          const result = client.handle(coreRequest()).then(({ body }) => textOf(body));
          expect(await failure(result)).to.be.instanceOf(Error);
          await client.close();
          between.close();
        });
  });

  describe('whose request body', () => {
    const upload = (body: AsyncIterable<Uint8Array>) =>
      remote.handle(coreRequest({ surface: 'manage', method: 'POST', body }));

    it('arrives piece by piece, with back-pressure', async () => {
      let sent = 0;
      let received = 0;
      served.fake.answer = async ({ body }) => {
        await pause(100);
        const ahead = sent;
        for await (const piece of body!) received += piece.length;
        return json({ ahead });
      };
      const { body } = await upload(
        (async function* () {
          for (; sent < 400; sent += 1) yield PIECE;
        })(),
      );
      expect(received).to.equal(400 * PIECE.length);
      expect((JSON.parse(await textOf(body)) as { ahead: number }).ahead).to.be.below(300);
    });

    for (const error of [
      new ServiceError('bodyTooLarge', 'Too large.'),
      new ServiceError('keyRevoked', 'Revoked.'),
      new Error('aborted'),
    ])
      it(`fails in the gateway are never complete for core, and fail with that error: ${error.message}`, async () => {
        const read: unknown[] = [];
        served.fake.answer = async ({ body }) => {
          try {
            for await (const _ of body!);
            read.push('complete');
          } catch (cause) {
            read.push(cause);
          }
          return json({ committed: true });
        };
        const body = async function* () {
          yield PIECE;
          await pause(20);
          throw error;
        };
        expect(await failure(upload(body()))).to.equal(error);
        await until(() => read.length === 1);
        expect(read[0]).to.be.instanceOf(Error);
        expect(served.log).to.deep.equal([]);
      });

    it('is cut off by the network is never complete for core, and the caller gets 503', async () => {
      let outcome: unknown;
      served.fake.answer = async ({ body }) => {
        try {
          for await (const _ of body!);
          outcome = 'complete';
        } catch (error) {
          outcome = error;
        }
        return json(0);
      };
      const body = async function* () {
        yield PIECE;
        await pause(20);
        relay.cut();
        yield PIECE;
        await pause(5000, undefined, { ref: false });
      };
      expect(await failure(upload(body()))).to.include({ errorName: 'unavailable', status: 503 });
      await until(() => outcome !== undefined);
      expect(outcome).to.be.instanceOf(Error);
    });

    it('reaches the next core from its start where one refused the call after it got some of it', async () => {
      const received: string[] = [];
      served.fake.answer = async ({ body }) => {
        let text = '';
        for await (const piece of body!) text += Buffer.from(piece).toString();
        received.push(text);
        return json({});
      };
      const text = '{"message":"It is stopping."}';
      const lines = `headwater-outcome: refused\r\ncontent-length: ${text.length}`;
      const refusing = await answering(served.port, `HTTP/1.1 503 No\r\n${lines}\r\n\r\n${text}`);
      const client = await connectTo([`127.0.0.1:${refusing.port}`, served.address]);
      const write = (pieces: readonly Uint8Array[]) => {
        const body = (async function* () {
          for (const piece of pieces) {
            yield piece;
            await pause(20);
          }
        })();
        return client.handle(coreRequest({ surface: 'manage', method: 'POST', body }));
      };
      expect((await write([Buffer.from('one,'), Buffer.from('two')])).status).to.equal(200);
      expect(received).to.deep.equal(['one,two']);
      expect(refusing.answered).to.equal(1);
      await client.close();
      refusing.close();
    });

    it('is not read by core do not keep an early answer from the caller, nor disturb other calls', async () => {
      const waiting = Array.from({ length: 8 }, () => remote.handle(coreRequest({ path: '/slow' })));
      served.fake.answer = async ({ path }) => {
        if (path === '/slow') {
          await pause(150);
          return json({ ok: true });
        }
        throw new ServiceError('itemNotFound', 'There is none.');
      };
      let ended = 0;
      for (let time = 0; time < 5; time++) {
        const body = async function* () {
          try {
            for (let at = 0; at < 1600; at++) yield PIECE;
          } finally {
            ended += 1;
          }
        };
        expect(await failure(upload(body()))).to.include({ errorName: 'itemNotFound' });
      }
      for (const answer of await Promise.all(waiting)) expect(answer.status).to.equal(200);
      await until(() => ended === 5);
    });
  });

  describe('that the gateway ends', () => {
    it('while core works stop that work', async () => {
      const signal = new Cancellation();
      let stopped: unknown;
      served.fake.answer = async (request) => {
        await new Promise<void>((resolve) => request.signal!.addEventListener('abort', resolve));
        stopped = request.signal!.reason;
        throw new Error('stopped');
      };
      const answer = remote.handle(coreRequest({ signal }));
      await until(() => served.fake.requests.length === 1);
      const reason = new Error('the client is gone');
      signal.abort(reason);
      expect(await failure(answer)).to.equal(reason);
      await until(() => stopped !== undefined);
      expect(served.log).to.deep.equal([]);
    });

    it('while the answer is streamed stop its source', async () => {
      let ended = false;
      served.fake.answer = () => json(0, { body: endless(() => (ended = true)) });
      const { body } = await remote.handle(coreRequest());
      const source = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      await source.next();
      await source.return?.();
      await until(() => ended);
      expect(served.log).to.deep.equal([]);
    });

    it('before the first read stop it too', async () => {
      let ended = false;
      served.fake.answer = () => json(0, { body: endless(() => (ended = true)) });
      const { body } = await remote.handle(coreRequest());
      await (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
      await until(() => ended);
    });

    it('end at once while they wait for the first hello', async () => {
      const silent = createServer(() => {});
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      const { port } = silent.address() as { port: number };
      const client = connectCore(clientOptions([`127.0.0.1:${port}`]));
      const { milliseconds } = await leastOf(100, async () => {
        const signal = new Cancellation();
        const answer = failure(client.handle(coreRequest({ signal })));
        await pause(20);
        const began = performance.now();
        signal.abort(new Error('the client is gone'));
        expect(await answer).to.have.property('message', 'the client is gone');
        return { milliseconds: performance.now() - began };
      });
      expect(milliseconds).to.be.below(100);
      await client.close();
      silent.close();
    });
  });

  it('do not wait for clients that read slowly', async () => {
    served.fake.answer = ({ path }) => (path === '/slow' ? json(0, { body: trickle() }) : json({}));
    const slow: AsyncIterator<Uint8Array>[] = [];
    for (let count = 0; count < 140; count += 1) {
      const { body } = await remote.handle(coreRequest({ path: '/slow' }));
      slow.push((body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]());
    }
    expect((await remote.handle(coreRequest())).status).to.equal(200);
    for (const source of slow) await source.return?.();
  });

  it('end with the whole answer, also if the core stops while it is read', async () => {
    const text = Buffer.alloc(20_000_000, 'x');
    let stopped: Promise<void> | undefined;
    served.fake.answer = () => {
      relay.holdRequests('POST /requests');
      stopped = served.close(15_000);
      setTimeout(() => relay.release(), 1200);
      return json(0, { body: [text] });
    };
    const { body } = await remote.handle(coreRequest({ method: 'POST' }));
    expect((await textOf(body)).length).to.equal(text.length);
    await stopped;
  });

  it('end after their time, also while they wait for a connection', async () => {
    const connection = new CoreConnection(`127.0.0.1:${relay.port}`, {
      token: INTERNAL_TOKEN,
      protocols: [1],
      onChange: () => {},
    });
    await connection.greeted;
    served.fake.answer = () => new Promise(() => {});
    const head = JSON.stringify({ ...coreRequest(), hasBody: false });
    const call = { path: '/requests', head, body: null, timeout: 300 };
    const took = await leastTimeOf(2000, async () => {
      const errors = await Promise.all(Array.from({ length: 200 }, () => failure(connection.call(call))));
      for (const error of errors) expect(String(error)).to.include('has not answered for 300 ms');
    });
    expect(took).to.be.below(2000);
    expect(connection.running).to.equal(0);
    await connection.close();
  });

  it('produce a streamed answer no faster than it is read', async () => {
    let produced = 0;
    served.fake.answer = () =>
      json(0, {
        body: (async function* () {
          for (; produced < 500; produced += 1) yield PIECE;
        })(),
      });
    const { body } = await remote.handle(coreRequest());
    const source = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await source.next();
    await pause(150);
    expect(produced).to.be.below(300);
    await drain(source);
    expect(produced).to.equal(500);
  });

  it('work over a Unix socket that its owner alone may use', async () => {
    const folder = socketFolder();
    const other = await serveFakeCore({ listen: `unix:${folder.path}` });
    expect((await stat(folder.path)).mode & 0o777).to.equal(0o600);
    const client = await connectTo([other.address]);
    expect((await client.handle(coreRequest())).status).to.equal(200);
    await client.close();
    await other.close();
    folder.remove();
  });

  it('do not replace a file that is no socket by one', async () => {
    const folder = socketFolder();
    await writeFile(folder.path, 'data');
    expect(await failure(serveFakeCore({ listen: `unix:${folder.path}` }))).to.have.property(
      'code',
      'EADDRINUSE',
    );
    expect(await readFile(folder.path, 'utf8')).to.equal('data');
    folder.remove();
  });
});

/** Passes hellos and links to the core, and answers each request with the text, then closes. */
async function answering(target: number, text: string) {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('data', (first) => {
      if (first.toString().startsWith('POST /requests')) {
        count += 1;
        client.end(text);
        return;
      }
      const upstream = connect(target, '127.0.0.1', () => upstream.write(first));
      sockets.add(upstream);
      upstream.on('error', () => client.destroy());
      client.pipe(upstream).pipe(client);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as { port: number }).port,
    get answered() {
      return count;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function* trickle(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield Buffer.from('x');
    await pause(100);
  }
}

async function* endless(ended: () => void = () => {}): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      yield PIECE;
      await pause(1);
    }
  } finally {
    ended();
  }
}

async function textOf(body: Awaited<ReturnType<RemoteCore['handle']>>['body']): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function drain(source: AsyncIterator<Uint8Array>): Promise<void> {
  while (!(await source.next()).done);
}

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
