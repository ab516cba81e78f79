import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createRawServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import got, { Options } from 'got';
import { AddressGuard } from '../../core/webhooks/send/address-guard.ts';
import { Connections } from '../../core/webhooks/send/connections.ts';
import { type ResolveHost, systemResolver } from '../../core/webhooks/send/resolve-host.ts';
import { createSend, type ReceiverResponse } from '../../core/webhooks/send/send.ts';
import { leastTimeOf } from '../support/measure/least-of.ts';

const TIMEOUT = 400;
const request = (url: string) => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"frozen":true}'),
});

describe('sending one notification', () => {
  const closers: (() => void)[] = [];
  let connections: Connections;

  beforeEach(() => {
    connections = new Connections();
  });

  afterEach(() => {
    connections.close();
    for (const close of closers.splice(0)) close();
  });

  const send = (url: string, resolve: ResolveHost = systemResolver()): Promise<ReceiverResponse> =>
    createSend({ guard: new AddressGuard(['127.0.0.0/8'], resolve), connections, timeout: TIMEOUT })(
      request(url),
    );

  function listening(server: Server | ReturnType<typeof createRawServer>): Promise<string> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket));
    closers.push(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
      ),
    );
  }

  /** A receiver whose behaviour is a function of the socket, called when the request has arrived. */
  const raw = (answer: (socket: Socket) => void) =>
    listening(
      createRawServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => answer(socket));
      }),
    );

  it('counts only 200 to 299 as delivered', async () => {
    const url = await listening(
      createServer((request, response) => {
        request.resume();
        response.writeHead(Number(request.url?.slice(1)), { location: '/204' }).end();
      }),
    );
    const accepted: number[] = [];
    for (const status of [
      200, 201, 202, 204, 206, 226, 299, 300, 301, 302, 304, 307, 308, 400, 404, 410, 429, 500, 503,
    ]) {
      const answer = await send(`${url}${status}`);
      expect(answer.status).to.equal(status);
      if (answer.accepted) accepted.push(status);
    }
    expect(accepted).to.deep.equal([200, 201, 202, 204, 206, 226, 299]);
  });

  it('spends no CPU on options that its connections do not use', async () => {
    const url = await listening(
      createServer((arrived, response) => {
        arrived.resume();
        response.writeHead(204).end();
      }),
    );
    const made = Options.prototype.createNativeRequestOptions;
    let calls = 0;
    Options.prototype.createNativeRequestOptions = function () {
      calls += 1;
      return made.call(this);
    };
    try {
      // Shows that the count is that of got.
      await got.post(url);
      expect(calls).to.equal(1);
      expect((await send(url)).status).to.equal(204);
      expect(calls).to.equal(1);
    } finally {
      Options.prototype.createNativeRequestOptions = made;
    }
  });

  it('follows no redirect', async () => {
    let elsewhere = 0;
    const other = await listening(
      createServer((_, response) => response.writeHead(204).end(String(elsewhere++))),
    );
    const url = await listening(
      createServer((_, response) => response.writeHead(302, { location: other }).end('moved')),
    );
    expect(await send(url)).to.deep.equal({
      accepted: false,
      status: 302,
      answer: 'moved',
      error: 'Redirects are not followed.',
    });
    expect(elsewhere).to.equal(0);
  });

  it('sends the frozen bytes with their length, and neither asks for compression nor retries', async () => {
    const seen: { body: string; headers: Record<string, unknown> }[] = [];
    const url = await listening(
      createServer((request, response) => {
        let body = '';
        request.on('data', (chunk) => (body += chunk));
        request.on('end', () => {
          seen.push({ body, headers: request.headers });
          response.writeHead(503, { 'retry-after': '1' }).end();
        });
      }),
    );
    expect(await send(url)).to.include({ accepted: false, status: 503, error: null });
    expect(seen.length).to.equal(1);
    expect(seen[0]?.body).to.equal('{"frozen":true}');
    expect(seen[0]?.headers).to.include({ 'content-length': '15', host: new URL(url).host });
    expect(seen[0]?.headers).to.not.have.any.keys('accept-encoding', 'transfer-encoding', 'authorization');
  });

  it('stores 2 kB of an answer and cuts off endless ones', async () => {
    let written = 0;
    const url = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n');
      const chunk = Buffer.alloc(65_536, 'x');
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    const took = await leastTimeOf(TIMEOUT, async () => {
      written = 0;
      const answer = await send(url);
      expect(answer).to.include({ accepted: true, status: 200, error: null });
      expect(answer.answer).to.equal('x'.repeat(2048));
    });
    expect(took).to.be.lessThan(TIMEOUT);
    expect(written).to.be.lessThan(50_000_000);
  });

  const late = `There was no complete answer within ${TIMEOUT / 1000} s.`;

  it('does not let slow headers or bodies extend its time limit', async () => {
    for (const head of [
      'HTTP/1.1 200 OK\r\nX-A: ',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    ]) {
      const url = await raw((socket) => {
        socket.write(head);
        const timer = setInterval(() => socket.write(head.endsWith('\n\r\n') ? '1\r\nx\r\n' : 'x'), 20);
        socket.on('close', () => clearInterval(timer));
      });
      const took = await leastTimeOf(TIMEOUT + 300, async () => {
        expect(await send(url)).to.include({ accepted: false, error: late });
      });
      expect(took).to.be.within(TIMEOUT - 5, TIMEOUT + 300);
    }
  });

  it('distinguishes silence, resets, garbage and other protocols', async () => {
    const closed = 'The connection was closed before the answer was complete.';
    const cases: readonly (readonly [string, (socket: Socket) => void, string])[] = [
      ['silence', () => {}, late],
      ['a reset', (socket) => socket.resetAndDestroy(), closed],
      ['an end', (socket) => socket.end(), closed],
      ['half a body', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'), closed],
      [
        'garbage',
        (socket) => socket.end(Buffer.from([0, 255, 1, 13, 10, 13, 10])),
        'The answer is not HTTP.',
      ],
      [
        'endless headers',
        (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`),
        'The answer is not HTTP.',
      ],
      [
        'an upgrade',
        (socket) => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
        'The receiver switched to another protocol.',
      ],
    ];
    for (const [name, behave, error] of cases) {
      const answer = await send(await raw(behave));
      expect(answer.accepted, name).to.equal(false);
      expect(answer.error, name).to.equal(error);
    }
  });

  it('survives connections that end between two notifications', async () => {
    let requests = 0;
    const url = await listening(
      createServer((_, response) => {
        requests++;
        response.writeHead(204, { connection: requests % 2 ? 'keep-alive' : 'close' }).end();
      }),
    );
    for (let turn = 0; turn < 10; turn++) expect((await send(url)).accepted).to.equal(true);
  });

  it('connects to the checked address, whatever the name resolves to later', async () => {
    const hosts: unknown[] = [];
    const url = await listening(
      createServer((request, response) => {
        hosts.push(request.headers.host);
        response.writeHead(204).end();
      }),
    );
    const { port } = new URL(url);
    let asked = 0;
    // Checked as 127.0.0.1; a second resolution of the name would return another address.
    const changing: ResolveHost = async () => [
      { address: asked++ % 2 ? '10.0.0.1' : '127.0.0.1', family: 4 },
    ];
    expect(await send(`http://hooks.example:${port}/`, changing)).to.include({ accepted: true });
    expect(hosts).to.deep.equal([`hooks.example:${port}`]);
    const second = await send(`http://hooks.example:${port}/`, changing);
    expect(second.accepted).to.equal(false);
    expect(second.error).to.contain('10.0.0.1, which is not on the public internet');
    expect(hosts.length).to.equal(1);
  });

  it('counts a failed name resolution as an attempt, with its time', async () => {
    const unknown: ResolveHost = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect((await send('http://missing.example/', unknown)).error).to.equal(
      'The name of the host is not known.',
    );
    const silent: ResolveHost = () => new Promise(() => {});
    expect((await send('http://silent.example/', silent)).error).to.equal(late);
  });

  it('uses no proxy that the environment names', async () => {
    let proxied = 0;
    const proxy = await raw(() => proxied++);
    const before = { ...process.env };
    Object.assign(process.env, {
      HTTP_PROXY: proxy,
      http_proxy: proxy,
      ALL_PROXY: proxy,
      NODE_USE_ENV_PROXY: '1',
    });
    try {
      const url = await listening(createServer((_, response) => response.writeHead(204).end()));
      expect((await send(url)).accepted).to.equal(true);
      expect(proxied).to.equal(0);
    } finally {
      process.env = before;
    }
  });

  it('is aborted by a signal', async () => {
    const url = await raw(() => {});
    const controller = new AbortController();
    const guard = new AddressGuard(['127.0.0.0/8'], systemResolver());
    const sending = createSend({ guard, connections, timeout: 60_000 })(request(url), controller.signal);
    setTimeout(() => controller.abort(), 20);
    expect(await sending).to.include({ accepted: false, status: null });
  });

  it('sends nothing after an abort', async () => {
    let requests = 0;
    const url = await listening(createServer((_, response) => response.writeHead(204).end(`${requests++}`)));
    const guard = new AddressGuard(['127.0.0.0/8'], systemResolver());
    const answer = await createSend({ guard, connections, timeout: 60_000 })(
      request(url),
      AbortSignal.abort(),
    );
    expect(answer).to.deep.equal({
      accepted: false,
      status: null,
      answer: '',
      error: 'The service stopped.',
    });
    expect(requests).to.equal(0);
  });

  it('waits for a distant host, also when its other address is unreachable', async () => {
    // Takes no connection for 600 ms: with two waiting in its backlog, the third repeats its SYN after a second.
    const far = new Worker(
      `const { createServer } = require('node:http');
       const { parentPort } = require('node:worker_threads');
       const server = createServer((_, response) => response.writeHead(204).end());
       server.listen(0, '127.0.0.1', 1, () => {
         parentPort.postMessage(server.address().port);
         parentPort.once('message', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600));
       });`,
      { eval: true },
    );
    closers.push(() => void far.terminate());
    const port = await new Promise<number>((resolve) => far.once('message', resolve));
    far.postMessage('go deaf');
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (let waiting = 0; waiting < 2; waiting++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      closers.push(() => socket.destroy());
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    const both: ResolveHost = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    const guard = new AddressGuard(['127.0.0.0/8', '::1'], both);
    const began = performance.now();
    const sending = createSend({ guard, connections, timeout: 10_000 })(
      request(`http://far.example:${port}/`),
    );
    expect(await sending).to.include({ accepted: true, status: 204 });
    expect(performance.now() - began, 'it was far away').to.be.greaterThan(300);
  });
});
