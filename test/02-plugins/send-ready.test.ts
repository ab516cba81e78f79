import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { generate } from 'selfsigned';
import { FastExchange } from '../../gateway/pipeline/fast-path.ts';
import { newOutcome } from '../../gateway/pipeline/request-state.ts';
import { sendReady } from '../../plugins/caching/send-ready.ts';
import type { Exchange } from '../../plugins/contract.ts';
import { hasAllTests } from '../support/long-form.ts';
import { until } from '../support/until.ts';

const BODY = Buffer.from('{"text":"žluťoučký kůň"}');
const BLOCK = ['Content-Type', 'application/json', 'content-length', String(BODY.length), 'etag', '"ä"'];
const LARGE = Buffer.alloc(8_000_000, 'x');
const FILLED_BYTES = 30_000;
const UNCHANGED = ['etag', '"ä"'];
const PUSHED = ['X-Request-ID', 'one', 'vary', 'Origin'];

describe('sendReady', () => {
  let server: Server;
  let secure: Server;
  let tls: { readonly key: string; readonly cert: string };
  let finished = 0;
  let ended = 0;
  let request: IncomingMessage | undefined;
  let closed = false;
  /** As seen when the answer was sent. */
  let seen: { readonly sent: boolean; readonly ended: boolean; readonly status: number };

  before(async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
    tls = { key, cert };
  });
  beforeEach(async () => {
    finished = 0;
    ended = 0;
    closed = false;
    const options = { keepAliveTimeout: 7000, requireHostHeader: false };
    server = createServer(options, answer);
    secure = createHttpsServer({ ...options, ...tls }, answer);
    for (const one of [server, secure]) {
      // Answered like any other: a client that waits for a 100 learns that the connection ends.
      one.on('checkContinue', answer);
      one.listen(0, '127.0.0.1');
      await once(one, 'listening');
    }
  });
  afterEach(() => {
    for (const one of [server, secure]) {
      one.closeAllConnections();
      one.close();
    }
  });

  function answer(req: IncomingMessage, res: ServerResponse): void {
    res.on('finish', () => {
      finished += 1;
      seen = { sent: res.headersSent, ended: res.writableEnded, status: res.statusCode };
    });
    request = req;
    if (req.url === '/ready/listened') req.once('close', () => (closed = true));
    const status = req.url!.includes('unchanged') ? 304 : 200;
    const block = status === 304 ? UNCHANGED : req.url!.includes('broken') ? ['x-a', 'a\r\nb: c'] : BLOCK;
    if (req.url === '/ready/large') {
      const large = ['content-length', String(LARGE.length)];
      sendReady(fastExchange(req, res), 200, large, LARGE);
      return;
    }
    if (req.url!.startsWith('/ready/filled/')) {
      const body = Buffer.alloc(FILLED_BYTES, req.url!.at(-1));
      sendReady(fastExchange(req, res), 200, ['content-length', String(FILLED_BYTES)], body);
      return;
    }
    if (req.url!.startsWith('/node')) {
      const body = status === 304 || req.method === 'HEAD' ? undefined : BODY;
      res.writeHead(status, [...PUSHED, ...block]).end(body);
      return;
    }
    try {
      const exchange = fastExchange(req, res);
      for (let at = 0; at < PUSHED.length; at += 2) exchange.set(PUSHED[at]!, PUSHED[at + 1]!);
      sendReady(exchange, status, block, BODY);
      // Before the end of this turn.
      if (req.url === '/ready/lost') req.socket.destroy();
    } catch (error) {
      res.writeHead(500).end((error as Error).name);
    }
  }

  function fastExchange(req: IncomingMessage, res: ServerResponse): FastExchange {
    return new FastExchange(req, res, { outcome: newOutcome(0) } as Exchange['state'], () => {
      ended += 1;
    });
  }

  /** All that comes back for a text, until the connection has been idle for a moment or is closed. */
  async function exchange(
    text: string,
    overTls = false,
  ): Promise<{ readonly bytes: string; readonly closed: boolean }> {
    const { port } = (overTls ? secure : server).address() as AddressInfo;
    const socket = overTls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect(port, '127.0.0.1');
    let bytes = '';
    let closed = false;
    socket.on('data', (chunk) => (bytes += chunk.toString('latin1')));
    socket.on('end', () => (closed = true));
    socket.write(text);
    for (let before = -1; before !== bytes.length || bytes === ''; ) {
      before = bytes.length;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    socket.destroy();
    return { bytes: sorted(bytes), closed };
  }

  /** Pushed headers come behind the block; the order of headers of different names means nothing (RFC 9110, 5.3). */
  function sorted(bytes: string): string {
    return bytes.replace(/(HTTP\/1\.1 [^\r]*\r\n)(.*?\r\n)\r\n/gs, (_, line: string, head: string) => {
      const names = head
        .replace(/Date: [^\r]*/, 'Date: now')
        .split('\r\n')
        .sort();
      return `${line}${names.join('\r\n')}\r\n\r\n`;
    });
  }

  const head = (method: string, path: string, more = '', version = '1.1') =>
    `${method} ${path} HTTP/${version}\r\nHost: a\r\n${more}\r\n`;
  const SHAPES: Readonly<Record<string, (path: string) => string>> = {
    'a GET': (path) => head('GET', `/${path}`),
    'a HEAD': (path) => head('HEAD', `/${path}`),
    'a 304': (path) => head('GET', `/${path}/unchanged`),
    'the last request of a connection': (path) => head('GET', `/${path}`, 'Connection: close\r\n'),
    'HTTP/1.0': (path) => head('GET', `/${path}`, '', '1.0'),
    'an unchanged answer over HTTP/1.0': (path) =>
      head('GET', `/${path}/unchanged`, 'Connection: keep-alive\r\n', '1.0'),
    'HTTP/1.0 that stays': (path) => head('GET', `/${path}`, 'Connection: keep-alive\r\n', '1.0'),
    'a GET with Expect: 100-continue': (path) => head('GET', `/${path}`, 'Expect: 100-continue\r\n'),
    'pipelined requests': (path) =>
      head('GET', `/${path}`) +
      head('HEAD', `/${path}`) +
      head('GET', `/${path}/unchanged`) +
      head('GET', `/${path}`),
  };
  for (const overTls of [false, true])
    for (const [name, shape] of Object.entries(SHAPES))
      it(`sends what Node would send, and leaves the connection in the same state: ${name}${overTls ? ', over TLS' : ''}`, async () => {
        const expected = await exchange(shape('node'), overTls);
        finished = 0;
        expect(await exchange(shape('ready'), overTls)).to.deep.equal(expected);
        expect(finished).to.equal(shape('').split('HTTP/1.').length - 1);
        expect(seen.sent && seen.ended).to.equal(true);
        expect(seen.status).to.equal(/304|unchanged/.test(name) ? 304 : 200);
      });

  it('finishes when a slow reader has all of it, and the next response follows', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    socket.write(head('GET', '/ready/large') + head('HEAD', '/ready'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(finished).to.equal(0);
    let length = 0;
    let end = '';
    socket.on('data', (chunk) => {
      length += chunk.length;
      end = (end + chunk.toString('latin1')).slice(-400);
    });
    socket.resume();
    await until(() => end.endsWith('\r\n\r\n'));
    socket.destroy();
    expect(length).to.be.within(LARGE.length + 200, LARGE.length + 1000);
    expect(end).to.include('xHTTP/1.1 200 OK\r\n');
    expect(finished).to.equal(2);
  });

  for (const overTls of hasAllTests ? [false, true] : [false])
    it(`sends a slow reader what it was written, whatever others are sent meanwhile${overTls ? ', over TLS' : ''}`, async () => {
      const { port } = (overTls ? secure : server).address() as AddressInfo;
      const socket = overTls
        ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
        : connect(port, '127.0.0.1');
      await once(socket, overTls ? 'secureConnect' : 'connect');
      socket.pause();
      // Each is written to a connection with nothing left, until the kernel takes no more.
      let sent = 0;
      for (; finished === sent; sent += 1) {
        expect(sent).to.be.below(2000);
        socket.write(head('GET', '/ready/filled/a'));
        const limit = performance.now() + 500;
        while (finished === sent && performance.now() < limit) await new Promise(setImmediate);
      }
      for (const letter of 'bcdefgh') {
        const { bytes } = await exchange(head('GET', `/ready/filled/${letter}`), overTls);
        expect(bytes.endsWith(letter.repeat(FILLED_BYTES))).to.equal(true);
      }
      const chunks: Buffer[] = [];
      let length = 0;
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        length += chunk.length;
      });
      socket.resume();
      const text = () => Buffer.concat(chunks).toString('latin1');
      await until(() => length > sent * FILLED_BYTES && text().endsWith('a'.repeat(FILLED_BYTES)));
      socket.destroy();
      const bodies = text().split(/HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n/s);
      expect(bodies.length).to.equal(sent + 1);
      expect(bodies.slice(1).every((body) => body === 'a'.repeat(FILLED_BYTES))).to.equal(true);
    });

  it('creates no stream of a body for a request that has none', async () => {
    await exchange(head('GET', '/ready'));
    expect(request!.complete).to.equal(true);
    expect(request!.listenerCount('end')).to.equal(0);
    // The stream that `end` reads to its end.
    expect(request!.readableFlowing).to.equal(null);
  });

  it('ends the request for a plugin that listens to it', async () => {
    await exchange(head('GET', '/ready/listened'));
    expect(closed).to.equal(true);
  });

  it('reports once that a response has ended: sent, sent to a slow reader, or its client has disconnected', async () => {
    await exchange(head('GET', '/ready'));
    expect(ended).to.equal(1);
    await exchange(head('GET', '/ready/large'));
    expect(ended).to.equal(2);
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(head('GET', '/ready/lost'));
    await once(socket, 'close');
    await until(() => ended === 3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ended).to.equal(3);
    expect(finished).to.equal(2);
  });

  it('refuses a header with a line break', async () => {
    const { bytes } = await exchange(head('GET', '/ready/broken'));
    expect(bytes)
      .to.match(/^HTTP\/1\.1 500 /)
      .and.to.include('TypeError')
      .and.not.to.include('b: c');
  });
});
