import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import type { CoreRequest } from '../../core/contract.ts';
import {
  definePlugin,
  type GatewayContext,
  type Next,
  type PluginServices,
  SURFACES,
} from '../../plugins/contract.ts';
import { fetchRaw } from '../support/clients/fetch-raw.ts';
import { get, open } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { validRequest } from '../support/gateway/plugin-services.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const FILE = `/assets/${PROJECTS.open}/file/image.png`;
const WAIT = { 'X-SVC-Wait-For-Loading-New-Content': 'true' };
/** `health` and `metrics` answer before the phase `forward`; `console` does not exist yet. */
const FORWARDED = ['delivery', 'preview', 'manage', 'assets', 'admin', 'docs'] as const;
const CACHED: readonly string[] = ['delivery', 'preview', 'assets'];

describe("an operator's plugin of the phase forward", () => {
  let gateway: TestGateway;
  let surfaces: string[];
  let handle: (ctx: GatewayContext, next: Next) => Promise<void>;
  let text: string;
  let refusal: PluginServices['refusal'];

  beforeEach(async () => {
    surfaces = [];
    text = 'from core';
    handle = (_ctx, next) => next();
    const own = definePlugin({
      name: 'stamp',
      phase: 'forward',
      surfaces: SURFACES,
      settings: z.strictObject({}),
      setup(_settings, services) {
        ({ refusal } = services);
        return {
          async handle(ctx, next) {
            surfaces.push(ctx.state.surface.name);
            ctx.set('X-Stamp', 'early');
            await handle(ctx, next);
            ctx.set('X-Stamp-After', 'late');
          },
        };
      },
    });
    gateway = await runGateway({ own: [own], unlimited: true, tls: true });
    gateway.core.answer = ({ known }) =>
      known === undefined
        ? { ...json({ text }), tags: ['a'], sequence: 1 }
        : { status: 304, headers: {}, body: null, tags: ['a'], sequence: 1 };
  });
  afterEach(() => gateway.end());

  const read = (path: string, headers: Record<string, string> = {}) =>
    fetchRaw(gateway.urls.http + path, headers);
  const change = (sequence: number) => gateway.core.emit({ project: PROJECTS.open, tags: ['a'], sequence });

  for (const surface of FORWARDED) {
    it(`runs for what ${surface} has to answer, and its headers are part of the answer`, async () => {
      const { path, key } = validRequest(surface);
      const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const url = `/${surface}${path}`;
      for (let time = 1; time <= 2; time += 1) {
        const answer = await read(url, headers);
        expect(answer.status).to.equal(200);
        expect(answer.headers).to.include({ 'x-stamp': 'early', 'x-stamp-after': 'late' });
        // A hit needs nothing behind the cache.
        expect(surfaces).to.have.length(CACHED.includes(surface) ? 1 : time);
      }
      expect(new Set(surfaces)).to.deep.equal(new Set([surface]));
    });
  }

  it('gets the host of the request, also of HTTP/2', async () => {
    const hosts: string[] = [];
    handle = async (ctx, next) => {
      hosts.push(ctx.host);
      await next();
    };
    const { path } = validRequest('delivery');
    await read(`/delivery${path}`, { host: 'localhost' });
    const session = connect(gateway.urls.https ?? '', { rejectUnauthorized: false });
    const stream = session
      .request({ ':path': `/delivery${path}?limit=1`, ':authority': 'localhost:1' })
      .resume();
    await once(stream, 'close');
    session.close();
    expect(hosts).to.deep.equal(['localhost', 'localhost:1']);
  });

  it('runs for requests that a cache passes on: parts, streams, other pages of a feed, HEAD', async () => {
    await read(FILE, { range: 'bytes=0-1' });
    await read(ITEMS, { 'x-continuation': 'abc' });
    await fetch(`${gateway.urls.http}${ITEMS}?limit=1`, { method: 'HEAD' });
    gateway.core.answer = () => ({ status: 200, headers: {}, body: pieces(), sequence: 1 });
    async function* pieces() {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    }
    for (const url of [`${ITEMS}?limit=2`, `${FILE}?w=2`]) {
      const answer = await read(url);
      expect([answer.body, answer.headers['x-stamp']], url).to.deep.equal(['one two', 'early']);
    }
    expect(surfaces).to.have.length(5);
  });

  it('may change the answer, which is kept as changed', async () => {
    handle = async (ctx, next) => {
      await next();
      ctx.body = JSON.stringify({ ...JSON.parse(String(ctx.body)), more: true });
    };
    for (const url of [ITEMS, FILE]) {
      for (const verdict of [/stored$/, /hit$/]) {
        const answer = await read(url);
        expect(JSON.parse(answer.body)).to.deep.equal({ text: 'from core', more: true });
        expect(answer.headers['cache-status']).to.match(verdict);
        expect((await read(url, { 'if-none-match': '"fake"' })).status).to.equal(304);
      }
    }
  });

  it('may answer without core, and nothing of that is kept', async () => {
    handle = async (ctx) => {
      ctx.status = 203;
      ctx.body = { own: surfaces.length };
    };
    for (const url of [ITEMS, FILE]) {
      surfaces.length = 0;
      for (const own of [1, 2]) {
        const answer = await read(url);
        expect([answer.status, JSON.parse(answer.body)]).to.deep.equal([203, { own }]);
      }
    }
    expect(gateway.core.requests).to.have.length(0);
  });

  it('may set a cookie, and no other client gets it', async () => {
    handle = async (ctx, next) => {
      await next();
      ctx.set('Set-Cookie', [`visit=${surfaces.length}`, 'b=c']);
    };
    for (const url of [ITEMS, FILE]) {
      surfaces.length = 0;
      for (const visit of [1, 2]) {
        expect((await read(url)).headers['set-cookie']).to.deep.equal([`visit=${visit}`, 'b=c']);
      }
    }
  });

  it('may refuse, with the documented body', async () => {
    handle = () => {
      throw new Error('out of order');
    };
    for (const url of [ITEMS, FILE]) {
      const answer = await read(url);
      expect(answer.status).to.equal(500);
      expect(JSON.parse(answer.body)).to.have.keys('message', 'request_id', 'error_code', 'specific_code');
    }
  });

  it('may refuse with an error of the catalogue', async () => {
    handle = () => {
      throw refusal('forbidden', 'Not today.', { 'x-why': 'monday' });
    };
    for (const url of [ITEMS, FILE]) {
      const answer = await read(url);
      expect(answer.status).to.equal(403);
      expect(answer.headers).to.include({ 'x-why': 'monday' });
      expect(JSON.parse(answer.body)).to.include({ message: 'Not today.', error_code: 4 });
    }
    expect(() => refusal('forbiden' as 'forbidden', 'Not today.')).to.throw(
      TypeError,
      /'forbiden' is no name/,
    );
  });

  it('sees only those parts of a request that the cache key covers', async () => {
    let seen: Record<string, unknown> = {};
    handle = (ctx, next) => {
      seen = {
        ...ctx.query,
        header: ctx.get('x-secret'),
        raw: ctx.req.rawHeaders.length,
        method: ctx.method,
      };
      return next();
    };
    await fetch(`${gateway.urls.http}${ITEMS}?limit=3&utm=x`, {
      headers: { 'x-secret': 's' },
      method: 'HEAD',
    });
    expect(seen).to.deep.equal({ limit: '3', header: '', raw: 0, method: 'GET' });
  });

  it('runs once for many clients that wait, and again for a refresh in the background', async () => {
    let release = () => {};
    handle = async (_ctx, next) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await next();
    };
    for (const url of [ITEMS, FILE]) {
      surfaces.length = 0;
      const answers = Array.from({ length: 5 }, () => read(url));
      await until(() => surfaces.length === 1);
      await pause(50);
      release();
      for (const { body } of await Promise.all(answers)) expect(JSON.parse(body)).to.deep.equal({ text });
      expect(surfaces).to.have.length(1);
    }
    surfaces.length = 0;
    change(2);
    expect((await read(ITEMS)).headers['x-stale-content']).to.equal('1');
    expect(surfaces).to.have.length(1);
    release();
    handle = (_ctx, next) => next();
    await until(() => gateway.core.requests.length === 3);
    expect(gateway.core.requests[2]?.known).to.deep.equal({ tags: ['a'], sequence: 1 });
    expect((await read(ITEMS, WAIT)).headers['cache-status']).to.match(/fwd=request; fwd-status=304$/);
    expect(surfaces).to.have.length(2);
    expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('sees its response closed when the last client has disconnected', async () => {
    for (const url of [ITEMS, FILE]) {
      let closed = 0;
      surfaces.length = 0;
      handle = (ctx) =>
        new Promise((resolve) =>
          ctx.res.once('close', () => {
            closed += 1;
            resolve();
          }),
        );
      const clients = [await open(gateway.urls.http), await open(gateway.urls.http)];
      for (const client of clients) client.write(get(url));
      await until(() => surfaces.length === 1);
      await pause(50);
      clients[0]?.destroy();
      await pause(50);
      expect(closed, url).to.equal(0);
      clients[1]?.destroy();
      await until(() => closed === 1);
    }
  });

  it('may destroy the request behind a cache, and the client keeps its connection', async () => {
    handle = async (ctx) => {
      ctx.req.on('error', () => {}).destroy(new Error('The upstream failed.'));
      await pause(5);
      ctx.body = 'own';
    };
    const { status, body } = await read(ITEMS);
    expect([status, body]).to.deep.equal([200, 'own']);
  });

  it('gets an error when it writes past Koa behind a cache', async () => {
    handle = async (ctx) => {
      ctx.respond = false;
      ctx.res.end('raw');
    };
    expect((await read(ITEMS)).status).to.equal(500);
    const [line] = gateway.lines.filter(({ level }) => level === 'error');
    expect(String(line?.fields.error)).to.include("wrote to 'ctx.res'");
  });

  it('changes nothing of the request to core', async () => {
    const asked = (): Partial<CoreRequest>[] =>
      gateway.core.requests.map(({ surface, method, path, query }) => ({ surface, method, path, query }));
    await read(`${ITEMS}?limit=3&utm=x`);
    await read(`${FILE}?w=3&utm=x`);
    expect(asked()).to.deep.equal([
      { surface: 'delivery', method: 'GET', path: `/${PROJECTS.open}/items`, query: 'limit=3' },
      { surface: 'assets', method: 'GET', path: `/${PROJECTS.open}/file/image.png`, query: 'w=3&utm=x' },
    ]);
  });
});
