import { Readable } from 'node:stream';
import { joined, Pieces } from '../caching/pieces.ts';
import { definePlugin, type GatewayContext } from '../contract.ts';
import { encodingChooser } from '../http/accept-encoding.ts';
import type { Compressed } from '../http/compress-body.ts';
import { tagOfEncoding } from '../http/tag-of-encoding.ts';
import { compressStream, compressWhole } from './compressor.ts';
import { plainTags, tagOfClient } from './entity-tags.ts';
import { settings } from './schema.ts';

/** Text in all its types. Images, fonts and archives are compressed as they are. */
const COMPRESSIBLE =
  /^(?:text\/|(?:application|image|font|model)\/(?:[\w.+-]*\+(?:json|xml)|json|javascript|xml|x-ndjson|openmetrics-text)(?:;|$))/i;
/** Surfaces that compress every answer a client accepts so, short ones too. */
const ALWAYS: ReadonlySet<string> = new Set(['delivery', 'preview']);
/** A whole answer that is larger is compressed piece by piece, so that its two forms are not both in memory. */
const LARGEST_WHOLE = 1_048_576;

/**
 * Answers in br or gzip where the client accepts it and the answer is not encoded yet: management, administration,
 * documentation, streamed listings. The response cache compresses its own answers, once for all clients.
 */
export const plugin = definePlugin({
  name: 'compression',
  phase: 'edge',
  after: ['cors', 'limits', 'https-only'],
  surfaces: ['delivery', 'preview', 'manage', 'admin', 'console', 'docs'],
  settings,
  setup(options) {
    const choose = encodingChooser();
    return {
      wraps: true,
      handle: async function compression(ctx, next) {
        const { headers } = ctx.req;
        const ifNoneMatch = headers['if-none-match'];
        if (ifNoneMatch !== undefined) headers['if-none-match'] = plainTags(ifNoneMatch);
        const ifMatch = headers['if-match'];
        if (ifMatch !== undefined) headers['if-match'] = plainTags(ifMatch);
        await next();
        if (ctx.status === 304) {
          const encoding = choose(headers['accept-encoding']);
          const tag = tagOfClient(ifNoneMatch, tagOf(ctx), encoding);
          if (tag !== undefined) ctx.res.setHeader('etag', tag);
          ctx.vary('Accept-Encoding');
          return;
        }
        if (!mayBeEncoded(ctx)) return;
        ctx.vary('Accept-Encoding');
        const encoding = choose(headers['accept-encoding']);
        if (encoding === 'identity' || headers.range !== undefined) return;
        if (!ALWAYS.has(ctx.state.surface.name) && isSmall(ctx.body, options.leastBytes)) return;
        await encode(ctx, encoding);
      },
    };

    async function encode(ctx: GatewayContext, encoding: Compressed): Promise<void> {
      const { body: given } = ctx;
      const body = given instanceof Pieces && given.length <= LARGEST_WHOLE ? joined(given) : given;
      const tag = tagOf(ctx);
      if (ctx.method === 'HEAD') ctx.body = Readable.from([]);
      else if (body instanceof Readable) ctx.body = compressStream(body, encoding, options);
      else {
        const whole = typeof body === 'string' ? Buffer.from(body) : (body as Buffer);
        ctx.body =
          whole.length > LARGEST_WHOLE
            ? compressStream(Readable.from(slices(whole)), encoding, options)
            : await compressWhole(whole, encoding, options);
      }
      const { res } = ctx;
      res.setHeader('content-encoding', encoding);
      // Ranges would be of the encoded bytes, which are made anew each time.
      res.removeHeader('accept-ranges');
      if (!Buffer.isBuffer(ctx.body)) res.removeHeader('content-length');
      if (tag !== undefined) res.setHeader('etag', tagOfEncoding(tag, encoding));
    }
  },
});

function tagOf({ res }: GatewayContext): string | undefined {
  const tag = res.getHeader('etag');
  return typeof tag === 'string' ? tag : undefined;
}

function mayBeEncoded(ctx: GatewayContext): boolean {
  const { res, body, status } = ctx;
  if (status < 200 || status === 204 || status === 206 || res.headersSent) return false;
  if (!(typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable)) return false;
  if (res.hasHeader('content-encoding') || res.hasHeader('content-range')) return false;
  // The cache compresses what it shares, once for all clients.
  const { cache } = ctx.state.outcome;
  if (cache !== undefined && cache !== 'miss' && cache !== 'bypass') return false;
  if (/\bno-transform\b/i.test(String(res.getHeader('cache-control') ?? ''))) return false;
  return COMPRESSIBLE.test(String(res.getHeader('content-type') ?? ''));
}

function isSmall(body: unknown, leastBytes: number): boolean {
  return !(body instanceof Readable) && Buffer.byteLength(body as string | Buffer) < leastBytes;
}

function* slices(whole: Buffer): Generator<Buffer> {
  for (let at = 0; at < whole.length; at += 65_536) yield whole.subarray(at, at + 65_536);
}
