import { Readable } from 'node:stream';
import type { CoreAnswer, CoreRequest, Surface } from '../../core/contract.ts';
import { definePlugin, type GatewayContext } from '../contract.ts';
import { answerStream } from './answer-stream.ts';
import { pickHeaders } from './request-headers.ts';
import { settings } from './schema.ts';

const NOTHING = Buffer.alloc(0);

/** Hands the request to core, in this process, and sends what comes back. */
export const plugin = definePlugin({
  name: 'core-proxy',
  phase: 'forward',
  surfaces: ['delivery', 'preview', 'manage', 'assets', 'admin'],
  needs: ['requestId', 'body', 'principal'],
  gives: ['answer'],
  settings,
  setup({ streamBufferBytes }, kit) {
    const headersFor = pickHeaders(kit.vendor.header);
    return {
      handle: async function coreProxy(ctx) {
        const { surface, bases, principal, requestId, client, body } = ctx.state;
        const name = surface.name as Surface;
        const request: CoreRequest = {
          surface: name,
          method: ctx.method === 'HEAD' ? 'GET' : ctx.method,
          path: surface.path,
          query: surface.query,
          headers: headersFor(ctx.req.headers),
          bases: { self: bases[name], assets: bases.assets },
          principal,
          requestId,
          client: client.address,
          ...(body && { body }),
        };
        const answer = await kit.core.handle(request);
        ctx.state.answer = answer;
        ctx.status = answer.status;
        for (const header in answer.headers) ctx.res.setHeader(header, answer.headers[header]!);
        if (answer.body === null) sendNothing(ctx);
        else ctx.body = await bodyOf(answer.body, ctx.method === 'HEAD');
      },
    };

    async function bodyOf(body: NonNullable<CoreAnswer['body']>, head: boolean): Promise<Buffer | Readable> {
      if (Array.isArray(body)) return joined(body as readonly Uint8Array[]);
      const source = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      if (head) {
        await source.return?.();
        return Readable.from([]);
      }
      return answerStream(await source.next(), source, streamBufferBytes, (error) =>
        kit.log.error({ error }, 'a streamed answer broke off'),
      );
    }
  },
});

/** Koa makes a 204 of every answer whose body is null, and gives an empty one a type. */
function sendNothing(ctx: GatewayContext): void {
  if (ctx.status === 204 || ctx.status === 304) {
    ctx.body = null;
    return;
  }
  const typed = ctx.res.hasHeader('content-type');
  ctx.body = NOTHING;
  if (!typed) ctx.remove('content-type');
}

function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  if (chunks.length !== 1 || only === undefined) return Buffer.concat(chunks);
  return Buffer.isBuffer(only) ? only : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
