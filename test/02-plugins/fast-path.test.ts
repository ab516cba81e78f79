import { once } from 'node:events';
import { request } from 'node:http';
import { connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { z } from 'zod';
import { ServiceError } from '../../core/contract.ts';
import { definePlugin, type Phase, type PluginInstance } from '../../plugins/contract.ts';
import { fetchRaw, type RawAnswer } from '../support/clients/fetch-raw.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;

describe('the fast path', () => {
  let gateway: TestGateway;
  let calls: string[];
  afterEach(() => gateway.end());

  /** Plugins of the operator on delivery, which record the calls of their hooks. */
  async function start(
    instances: Readonly<Record<string, [Phase, PluginInstance]>>,
    tls = false,
  ): Promise<void> {
    calls = [];
    const own = Object.entries(instances).map(([name, [phase, instance]]) =>
      definePlugin({
        name,
        phase,
        surfaces: ['delivery'],
        settings: z.strictObject({}),
        setup: () => recorded(name, instance),
      }),
    );
    gateway = await runGateway({ own, tls });
    gateway.core.answer = () => ({ ...json({ text: 'from core' }), tags: ['a'], sequence: 1 });
  }

  function recorded(name: string, { onRequest, handle, ...instance }: PluginInstance): PluginInstance {
    return {
      ...instance,
      ...(onRequest && {
        onRequest(exchange) {
          calls.push(`${name}.onRequest${exchange.fastHeaders ? '' : ' in Koa'}`);
          return onRequest(exchange);
        },
      }),
      ...(handle && {
        handle(ctx, next) {
          calls.push(`${name}.handle`);
          return handle(ctx, next);
        },
      }),
    };
  }

  async function read(query = ''): Promise<RawAnswer> {
    calls.length = 0;
    return fetchRaw(gateway.urls.http + ITEMS + query);
  }

  const passing: PluginInstance = { onRequest: () => 'next', handle: (_ctx, next) => next() };

  it('ends at the plugin that does not pass the request on, and Koa continues there', async () => {
    await start({
      first: [
        'edge',
        {
          onRequest(exchange) {
            exchange.set('X-First', 'set');
            return 'next';
          },
        },
      ],
      second: ['edge', { onRequest: () => 'handle', handle: (_ctx, next) => next() }],
      third: ['admit', passing],
    });
    for (const verdict of [/stored$/, /hit$/]) {
      const answer = await read();
      expect(answer.headers).to.include({ 'x-first': 'set' });
      expect(answer.headers['cache-status']).to.match(verdict);
      expect(answer.headers['x-request-id']).to.be.a('string');
      expect(calls).to.deep.equal([
        'first.onRequest',
        'second.onRequest',
        'second.handle',
        'third.onRequest in Koa',
      ]);
    }
  });

  it('answers a hit without Koa; a miss runs each rule once', async () => {
    await start({
      first: ['edge', passing],
      wrapping: ['edge', { wraps: true, handle: (_ctx, next) => next() }],
      last: ['admit', passing],
      observing: ['observe', { onResponse: () => calls.push('observing.onResponse') }],
    });
    // The project is looked up for the first request.
    await read('?limit=1');
    await read();
    expect(calls.slice(0, 3)).to.deep.equal(['first.onRequest', 'last.onRequest', 'wrapping.handle']);
    expect((await read()).headers['cache-status']).to.equal('headwater; hit');
    expect(calls.slice(0, 2)).to.deep.equal(['first.onRequest', 'last.onRequest']);
    expect(calls).to.not.include('wrapping.handle');
    expect(gateway.core.requests).to.have.length(2);
  });

  it('sends one value of a header, the last, as Koa does', async () => {
    const setting = (value: string): PluginInstance => ({
      onRequest(exchange) {
        exchange.set('Cache-Control', 'no-store');
        if (exchange.req.headers['x-asked'] === undefined) exchange.set('X-First', value);
        return 'next';
      },
    });
    await start({ first: ['edge', setting('first')], second: ['edge', setting('last')] });
    for (const [at, asked] of [undefined, undefined, '1', undefined, undefined].entries()) {
      const { headers } = await fetchRaw(gateway.urls.http + ITEMS, asked ? { 'x-asked': asked } : {});
      expect(headers['cache-status'], String(at)).to.match(at === 0 ? /stored$/ : /hit$/);
      expect(headers['cache-control'], String(at)).to.equal('public, max-age=0, s-maxage=1');
      expect(headers['x-first'], String(at)).to.equal(asked ? undefined : 'last');
    }
  });

  it('ends in front of a plugin that has `handle` alone', async () => {
    await start({ slow: ['edge', { handle: (_ctx, next) => next() }], late: ['admit', passing] });
    for (const verdict of [/stored$/, /hit$/]) {
      expect((await read()).headers['cache-status']).to.match(verdict);
      expect(calls).to.deep.equal(['slow.handle', 'late.onRequest in Koa']);
    }
  });

  it('turns what `onRequest` throws into the documented answer, and calls it once', async () => {
    await start({
      strict: [
        'edge',
        {
          onRequest() {
            throw new ServiceError('forbidden', 'Not today.');
          },
        },
      ],
      late: ['admit', passing],
    });
    const answer = await read();
    expect(answer.status).to.equal(403);
    expect(JSON.parse(answer.body).message).to.equal('Not today.');
    expect(calls).to.deep.equal(['strict.onRequest']);
  });

  it('answers with the documented error where a plugin sets a header that is not valid', async () => {
    await start({
      first: [
        'edge',
        {
          onRequest(exchange) {
            exchange.set('X-First', 'two\nlines');
            return 'next';
          },
        },
      ],
    });
    for (const query of ['', '?limit=1']) {
      const answer = await read(query);
      expect(answer.status).to.equal(500);
      const { message, request_id } = JSON.parse(answer.body);
      expect(message).to.match(/^An internal error occurred/);
      expect(answer.headers['x-request-id']).to.equal(request_id);
    }
  });

  it('is not for requests with a body', async () => {
    await start({ first: ['edge', passing] });
    await read();
    const status = await new Promise((resolve, reject) => {
      const sent = request(gateway.urls.http + ITEMS, { headers: { 'content-length': 4 } });
      sent.on('response', ({ headers }) => resolve(headers['cache-status']));
      sent.on('error', reject);
      calls.length = 0;
      sent.end('body');
    });
    expect(status).to.equal('headwater; hit');
    expect(calls).to.deep.equal(['first.onRequest in Koa']);
  });

  it('answers all hits of one packet in their order, before the refusal of what is malformed behind them', async () => {
    await start({});
    const queries = ['?limit=1', '?limit=2', '?limit=3'];
    gateway.core.answer = ({ query }) => ({ ...json({ query }), tags: ['a'], sequence: 1 });
    for (const query of [...queries, queries[0]]) await read(query);
    const { host, port } = new URL(gateway.urls.http);
    const socket = connectTcp(Number(port), '127.0.0.1');
    const requests = queries.map((query) => `GET ${ITEMS}${query} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    socket.write(`${requests.join('')}GARBAGE\r\n\r\n`);
    const all = await text(socket);
    expect(all.match(/HTTP\/1\.1 \d+|"limit=\d"|cache-status: [^\r]*/g)).to.deep.equal([
      ...['1', '2', '3'].flatMap((limit) => [
        'HTTP/1.1 200',
        'cache-status: headwater; hit',
        `"limit=${limit}"`,
      ]),
      'HTTP/1.1 400',
    ]);
  });

  describe('over HTTP/2', () => {
    /** Headers of which a response may have several. */
    const setting: PluginInstance = {
      onRequest(exchange) {
        exchange.set('Vary', 'X-First');
        exchange.set('Set-Cookie', 'a=1');
        exchange.set('Set-Cookie', 'b=2');
        return 'next';
      },
    };
    /** Some of them on the response itself, which is sent another way then. */
    const settingOnResponse: PluginInstance = {
      onRequest(exchange) {
        exchange.res.setHeader('X-Second', 'set');
        exchange.res.setHeader('Vary', 'X-Second');
        return setting.onRequest!(exchange);
      },
    };

    for (const [name, method, more, plugin, vary] of [
      ['a GET', 'GET', false, setting, []],
      ['a HEAD', 'HEAD', false, setting, []],
      ['a 304', 'GET', true, setting, []],
      ['a GET with headers on the response', 'GET', false, settingOnResponse, ['X-Second']],
      ['a HEAD with headers on the response', 'HEAD', false, settingOnResponse, ['X-Second']],
      ['a 304 with headers on the response', 'GET', true, settingOnResponse, ['X-Second']],
    ] as const)
      it(`answers a hit with what HTTP/1.1 has: ${name}`, async () => {
        const seen: number[] = [];
        const observing: PluginInstance = {
          onResponse: ({ state }) => seen.push(state.outcome.status, state.outcome.bytes ?? -1),
        };
        await start({ first: ['edge', plugin], second: ['observe', observing] }, true);
        const { headers: stored } = await read();
        const own: Record<string, string> = more ? { 'if-none-match': stored['etag']! } : {};
        await read();
        const expected = await fetchRaw(gateway.urls.http + ITEMS, own, method);
        const before = [...seen];
        // The answer has the scheme in its links, so it is cached apart.
        await overHttp2('GET', {});
        seen.length = 0;
        calls.length = 0;
        const answer = await overHttp2(method, own);
        expect(answer.body).to.equal(expected.body);
        expect(calls).to.deep.equal(['first.onRequest']);
        const { ':status': status, ...headers } = answer.headers;
        expect(status).to.equal(expected.status);
        const ofConnection = ['connection', 'keep-alive', 'date', 'x-request-id'];
        const without = (from: object) =>
          Object.fromEntries(Object.entries(from).filter(([header]) => !ofConnection.includes(header)));
        const sortedVary = (vary: unknown) => String(vary).split(', ').toSorted();
        expect(sortedVary(headers.vary)).to.deep.equal(sortedVary(expected.headers['vary']));
        expect(without({ ...headers, vary: '' })).to.deep.equal(without({ ...expected.headers, vary: '' }));
        expect(headers['x-request-id']).to.be.a('string');
        expect(headers['set-cookie']).to.deep.equal(['a=1', 'b=2']);
        expect(sortedVary(headers.vary)).to.deep.equal(['Accept-Encoding', 'X-First', ...vary]);
        await until(() => seen.length > 0);
        expect(seen).to.deep.equal(before.slice(-2));
      });

    it("gives plugins all of Node's request and response", async () => {
      const seen: unknown[] = [];
      const asking: PluginInstance = {
        onRequest({ req, res }) {
          res.once('finish', () => seen.push('finished'));
          res.statusMessage = '';
          req.url = ITEMS;
          req.method = 'GET';
          seen.push(req.socket.remoteAddress, req.readable, res.writable, res.req.url, res.writableFinished);
          res.setHeader('X-Asked', String(req.listenerCount('end')));
          return 'next';
        },
        onResponse: ({ res }) => seen.push(res.statusCode, res.getHeader('x-asked')),
      };
      await start({ first: ['edge', asking] }, true);
      for (const verdict of [/stored$/, /hit$/]) {
        seen.length = 0;
        const { headers } = await overHttp2('GET', {});
        expect(headers['cache-status']).to.match(verdict);
        expect(headers['x-asked']).to.equal('0');
        await until(() => seen.length === 8);
        expect(seen.slice(0, 5)).to.deep.equal(['127.0.0.1', true, true, ITEMS, false]);
        expect(seen.slice(5)).to.have.members(['finished', 200, '0']);
      }
    });

    for (const method of ['GET', 'HEAD'])
      it(`sends the status of a plugin that ends the response itself: ${method}`, async () => {
        let ended = 0;
        const refusing: PluginInstance = {
          onRequest({ res }) {
            res.statusCode = 403;
            res.end('6e6f', 'hex', () => {
              ended += 1;
            });
            return 'responded';
          },
          onResponse: ({ res }) => calls.push(`ended ${res.writableEnded} ${res.finished}`),
        };
        await start({ first: ['edge', refusing] }, true);
        const { headers, body } = await overHttp2(method, {});
        expect(headers[':status']).to.equal(403);
        expect(body).to.equal(method === 'GET' ? 'no' : '');
        await until(() => calls.includes('ended true true') && ended === 1);
      });

    it('says after an answer from memory that it has ended', async () => {
      await start(
        { first: ['edge', { onResponse: ({ res }) => calls.push(`ended ${res.finished}`) }] },
        true,
      );
      await overHttp2('GET', {});
      calls.length = 0;
      expect((await overHttp2('GET', {})).headers['cache-status']).to.equal('headwater; hit');
      await until(() => calls.length > 0);
      expect(calls).to.deep.equal(['ended true']);
    });

    it('sends the last of two values of a header, whatever the first was before', async () => {
      const setting: PluginInstance = {
        onRequest(exchange) {
          exchange.set('X-First', String(exchange.req.headers['x-asked']));
          exchange.set('X-First', 'last');
          return 'next';
        },
      };
      await start({ first: ['edge', setting] }, true);
      for (const asked of ['stored', 'last', 'other']) {
        const { headers } = await overHttp2('GET', { 'x-asked': asked });
        expect(headers['x-first'], asked).to.equal('last');
      }
    });

    it('outlives an answer that its client refuses with an error', async () => {
      await start({}, true);
      gateway.core.answer = () => ({ ...json({ text: 'x'.repeat(30_000) }), tags: ['a'], sequence: 1 });
      await overHttp2('GET', {});
      // Answers wait for their client, which reads nothing.
      const settings = { initialWindowSize: 1000 };
      const session = connect(gateway.urls.https ?? '', { rejectUnauthorized: false, settings });
      const streams = [1, 2].map(() => session.request({ ':path': ITEMS }));
      for (const stream of streams) {
        stream.on('error', () => {});
        const [headers] = await once(stream, 'response');
        expect(headers['cache-status']).to.equal('headwater; hit');
      }
      for (const stream of streams) stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
      await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('close', resolve))));
      session.close();
      expect((await overHttp2('GET', {})).headers['cache-status']).to.equal('headwater; hit');
    });

    it('leaves out a header that HTTP/2 has not', async () => {
      const closing: PluginInstance = {
        onRequest(exchange) {
          exchange.set('Connection', 'close');
          exchange.set('X-First', 'set');
          return 'next';
        },
      };
      await start({ first: ['edge', closing] }, true);
      for (const verdict of [/stored$/, /hit$/]) {
        const { headers } = await overHttp2('GET', {});
        expect(headers['cache-status']).to.match(verdict);
        expect(headers['connection']).to.equal(undefined);
        expect(headers['x-first']).to.equal('set');
      }
    });

    it('answers with the documented error where a plugin sets a header that is not valid', async () => {
      const breaking: PluginInstance = {
        onRequest(exchange) {
          exchange.set('X-First', 'two\nlines');
          return 'next';
        },
      };
      await start({ first: ['edge', breaking] }, true);
      for (let time = 0; time < 2; time += 1) {
        const { headers, body } = await overHttp2('GET', {});
        expect(headers[':status']).to.equal(500);
        expect(JSON.parse(body).message).to.match(/^An internal error occurred/);
      }
    });
  });

  async function overHttp2(
    method: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly headers: IncomingHttpHeaders & { ':status'?: number }; readonly body: string }> {
    const session = connect(gateway.urls.https ?? '', { rejectUnauthorized: false });
    const stream = session.request({ ':path': ITEMS, ':method': method, ...headers });
    const [[answered], chunks] = await Promise.all([once(stream, 'response'), stream.toArray()]);
    session.close();
    return { headers: answered, body: Buffer.concat(chunks).toString() };
  }
});
