import { once } from 'node:events';
import { get as httpGet, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, createGunzip, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import type { CoreAnswer } from '../../core/contract.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const ITEMS = `/manage/v2/projects/${PROJECTS.open}/items`;
const LISTING = `/delivery/${PROJECTS.open}/items`;
const KEY = { authorization: 'Bearer open-management' };
const PAGE = { items: Array.from({ length: 200 }, (_, at) => ({ id: at, name: `Item number ${at}` })) };
const TEXT = JSON.stringify(PAGE);

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function decoded({ headers, body }: Got): string {
  switch (headers['content-encoding']) {
    case 'br':
      return brotliDecompressSync(body).toString();
    case 'gzip':
      return gunzipSync(body).toString();
    default:
      return body.toString();
  }
}

describe('compression', () => {
  let gateway: TestGateway;
  let answer: CoreAnswer;
  before(async () => {
    gateway = await runGateway({ unlimited: true });
  });
  after(() => gateway.end());
  beforeEach(() => {
    answer = json(PAGE);
    gateway.core.answer = () => answer;
  });
  afterEach('nothing went wrong inside', () => {
    expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  /** Without anything that a client library would add or undo. */
  async function ask(headers: Record<string, string>, path = ITEMS, method = 'GET'): Promise<Got> {
    const call = request(gateway.urls.http + path, { method, headers: { ...KEY, ...headers } });
    call.end();
    const [got] = (await once(call, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of got) chunks.push(chunk as Buffer);
    return { status: got.statusCode ?? 0, headers: got.headers, body: Buffer.concat(chunks) };
  }

  const acceptances: [string, string | undefined][] = [
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['BR', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'gzip'],
    ['*;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['deflate', undefined],
    ['', undefined],
    [',,;;q', undefined],
    ['gzip;q=nonsense', undefined],
  ];
  for (const [acceptEncoding, encoding] of acceptances) {
    it(`answers 'Accept-Encoding: ${acceptEncoding}' in ${encoding ?? 'plain bytes'}`, async () => {
      const got = await ask({ 'accept-encoding': acceptEncoding });
      expect(got.headers['content-encoding']).to.equal(encoding);
      expect(got.headers['vary']).to.match(/accept-encoding/i);
      expect(decoded(got)).to.equal(TEXT);
      expect(got.headers['content-length']).to.equal(String(got.body.length));
      if (encoding) expect(got.body.length).to.be.below(TEXT.length / 3);
    });
  }

  it('encodes nothing without Accept-Encoding', async () => {
    const got = await ask({});
    expect(got.headers['content-encoding']).to.equal(undefined);
    expect(got.headers['vary']).to.match(/accept-encoding/i);
  });

  it('has a strong tag for each encoding, and recognises all of them', async () => {
    const tags = new Set<string>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const got = await ask({ 'accept-encoding': encoding });
      tags.add(got.headers.etag ?? '');
    }
    expect([...tags]).to.deep.equal(['"fake-br"', '"fake-gzip"', '"fake"']);
    gateway.core.answer = ({ headers }) => {
      const known = (headers['if-none-match'] ?? '').split(', ').includes('"fake"');
      return known ? { status: 304, headers: { etag: '"fake"' }, body: null } : answer;
    };
    for (const tag of [...tags, 'W/"fake-br"', '"other-br", "fake-gzip"']) {
      const got = await ask({ 'accept-encoding': 'br', 'if-none-match': tag });
      expect(got.status, tag).to.equal(304);
      expect(tag, tag).to.include(got.headers.etag!);
      expect(got.headers['vary']).to.match(/accept-encoding/i);
    }
    const both = '"fake-br", "fake-gzip", "fake"';
    for (const [encoding, tag] of [
      ['br', '"fake-br"'],
      ['gzip', '"fake-gzip"'],
      ['identity', '"fake"'],
    ] as const) {
      const got = await ask({ 'accept-encoding': encoding, 'if-none-match': both });
      expect([got.status, got.headers.etag]).to.deep.equal([304, tag]);
    }
    expect((await ask({ 'if-none-match': '"other-br"' })).status).to.equal(200);
  });

  for (const path of [LISTING, LISTING.replace('/delivery/', '/preview/')])
    it(`encodes short answers of ${path.split('/')[1]}`, async () => {
      answer = json({ a: 1 });
      const key = { authorization: 'Bearer open-preview-primary' };
      for (const encoding of ['br', 'gzip']) {
        const got = await ask({ ...key, 'accept-encoding': encoding }, `${path}?limit=${encoding.length}`);
        expect([got.headers['content-encoding'], decoded(got)]).to.deep.equal([encoding, '{"a":1}']);
      }
    });

  it('does not change a weak tag', async () => {
    answer = json(PAGE, { headers: { 'content-type': 'application/json', etag: 'W/"w"' } });
    expect((await ask({ 'accept-encoding': 'br' })).headers.etag).to.equal('W/"w"');
  });

  const left: [string, Partial<CoreAnswer>, Record<string, string>?][] = [
    ['short ones', { body: [Buffer.from('{"a":1}')] }],
    ['images', { headers: { 'content-type': 'image/png' } }],
    ['archives', { headers: { 'content-type': 'application/zip' } }],
    ['ones without a type', { headers: {} }],
    ['encoded ones', { headers: { 'content-type': 'application/json', 'content-encoding': 'zstd' } }],
    ['no-transform answers', { headers: { 'content-type': 'text/plain', 'cache-control': 'no-transform' } }],
    ['parts', { status: 206, headers: { 'content-type': 'text/plain', 'content-range': 'bytes 0-9/99' } }],
    ['those to a request for a part', { headers: { 'content-type': 'text/plain' } }, { range: 'bytes=0-9' }],
  ];
  for (const [what, more, headers] of left) {
    it(`does not change ${what}`, async () => {
      answer = json(PAGE, more);
      const got = await ask({ 'accept-encoding': 'br, gzip', ...headers });
      expect(got.headers['content-encoding']).to.equal(answer.headers['content-encoding']);
      expect(got.body.length).to.equal(Number(got.headers['content-length']));
      expect(got.headers.etag ?? '').to.not.match(/-(br|gzip)"/);
    });
  }

  it('answers HEAD with the headers of GET, without a body', async () => {
    const got = await ask({ 'accept-encoding': 'br' }, ITEMS, 'HEAD');
    const { headers } = await ask({ 'accept-encoding': 'br' });
    expect(got.headers).to.include({ 'content-encoding': 'br', etag: headers.etag, vary: headers.vary });
    expect(got.headers).to.not.have.property('content-length');
    expect(got.body.length).to.equal(0);
  });

  it('encodes the documentation', async () => {
    const got = await ask({ 'accept-encoding': 'br' }, '/docs/openapi.json');
    expect(got.headers['content-encoding']).to.equal('br');
    expect(JSON.parse(decoded(got))).to.have.property('openapi');
    const again = await ask({ 'if-none-match': got.headers.etag ?? '' }, '/docs/openapi.json');
    expect(again.status).to.equal(304);
  });

  it('does not double a Vary that is there', async () => {
    answer = json(PAGE, { headers: { 'content-type': 'application/json', vary: 'Origin, Accept-Encoding' } });
    expect((await ask({ 'accept-encoding': 'br' })).headers['vary']).to.equal('Origin, Accept-Encoding');
  });

  it('gives every body back as it was, whole or in pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 8 }),
        fc.constantFrom('br', 'gzip'),
        fc.boolean(),
        async (pieces, encoding, streams) => {
          const body = streams
            ? (async function* () {
                yield* pieces;
              })()
            : pieces;
          answer = json(null, { headers: { 'content-type': 'text/plain' }, body });
          const got = await ask({ 'accept-encoding': encoding });
          const plain = Buffer.concat(pieces);
          const bytes =
            encoding === 'br' && got.headers['content-encoding']
              ? brotliDecompressSync(got.body)
              : got.headers['content-encoding']
                ? gunzipSync(got.body)
                : got.body;
          expect(bytes.equals(plain)).to.equal(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('compresses what is large piece by piece', async () => {
    const large = Buffer.from(TEXT.repeat(400));
    answer = json(null, { headers: { 'content-type': 'application/json' }, body: [large] });
    const got = await ask({ 'accept-encoding': 'gzip' });
    expect(got.headers).to.not.have.property('content-length');
    expect(decoded(got)).to.equal(large.toString());
  });

  describe('of streams', () => {
    /** Chunks that a test sends one by one. */
    function handedOut() {
      const waiting: ((result: IteratorResult<Uint8Array>) => void)[] = [];
      const state = { asked: 0, stopped: false };
      const iterator: AsyncIterableIterator<Uint8Array> = {
        [Symbol.asyncIterator]: () => iterator,
        next: () => {
          state.asked += 1;
          return new Promise((resolve) => waiting.push(resolve));
        },
        return: async () => {
          state.stopped = true;
          return { done: true, value: undefined };
        },
      };
      const settle = async (result: IteratorResult<Uint8Array>) => {
        for (let round = 0; waiting.length === 0; round += 1) {
          if (round > 5000) throw new Error('The source is not read.');
          await pause(1);
        }
        waiting.shift()!(result);
      };
      return {
        state,
        iterator,
        give: (text: string) => settle({ done: false, value: Buffer.from(text) }),
        end: () => settle({ done: true, value: undefined }),
      };
    }

    const open = (path: string, headers = {}) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const options = { headers: { ...KEY, 'accept-encoding': 'gzip', ...headers } };
        httpGet(gateway.urls.http + path, options, resolve).once('error', reject);
      });

    it('flushes when the source pauses', async () => {
      const source = handedOut();
      answer = json(null, { body: source.iterator });
      const opened = open(ITEMS);
      await source.give('{"first":1,');
      const got = await opened;
      expect(got.headers['content-encoding']).to.equal('gzip');
      expect(got.headers).to.not.have.property('content-length');
      const plain = got.pipe(createGunzip());
      const [first] = (await once(plain, 'data')) as [Buffer];
      expect(first.toString()).to.equal('{"first":1,');
      await source.give('"second":2}');
      const [second] = (await once(plain, 'data')) as [Buffer];
      expect(second.toString()).to.equal('"second":2}');
      const end = once(plain, 'end');
      await source.end();
      await end;
    });

    it('reads no further ahead than the client reads', async () => {
      let made = 0;
      // Random bytes do not get smaller.
      const noise = Buffer.from(Array.from({ length: 65_536 }, () => Math.floor(Math.random() * 256)));
      const body = (async function* () {
        for (; made < 2000; made += 1) yield noise;
      })();
      answer = json(null, { headers: { 'content-type': 'text/plain' }, body });
      const got = await open(LISTING);
      got.pause();
      await pause(400);
      const early = made;
      expect(early).to.be.below(200);
      got.destroy();
      await pause(100);
      expect(made).to.be.below(early + 50);
    });

    it('stops the source when the client disconnects', async () => {
      const source = handedOut();
      answer = json(null, { body: source.iterator });
      const opened = open(LISTING);
      await source.give('{"items":[');
      const got = await opened;
      got.destroy();
      await until(() => source.state.stopped);
    });

    it('ends with a connection error where the source fails', async () => {
      const body = (async function* () {
        yield Buffer.from('{"items":[');
        await pause(80);
        throw new Error('the disk is gone');
      })();
      answer = json(null, { body });
      const got = await open(ITEMS);
      got.resume();
      const [error] = (await once(got, 'error')) as [NodeJS.ErrnoException];
      expect(error.code).to.equal('ECONNRESET');
      await until(() => gateway.lines.some(({ level }) => level === 'error'));
      const logged = gateway.lines.splice(0).filter(({ level }) => level === 'error');
      expect(logged.map(({ text }) => text)).to.deep.equal(['A streamed answer failed.']);
    });
  });
});
