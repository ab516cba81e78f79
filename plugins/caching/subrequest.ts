import {
  type IncomingHttpHeaders,
  IncomingMessage,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { Readable } from 'node:stream';
import type { CancelSignal, CoreRequest } from '../../core/contract.ts';
import type { AnswerFacet, GatewayContext, Next } from '../contract.ts';
import { Pieces } from './pieces.ts';

/** The request of a cache: what its key covers, and nothing else of the client's request. */
export interface Subrequest {
  /** Below the surface's prefix, as in a request to core. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly known?: CoreRequest['known'];
  readonly atLeast?: CoreRequest['atLeast'];
  readonly signal: CancelSignal;
}

/** What the plugins behind a cache answered. */
export interface FetchedAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: OutgoingHttpHeaders;
  readonly body: unknown;
  readonly tags: AnswerFacet['tags'];
  readonly sequence: AnswerFacet['sequence'];
}

/**
 * Runs the plugins behind a cache with a request and a response of the cache's own, as nginx runs a subrequest: several
 * clients may wait for the answer, and it may outlast the request that caused it. To those plugins the cache is the
 * client: its response is closed when the answer is no longer wanted.
 *
 * @throws what the plugins throw
 */
export async function subrequest(
  ctx: GatewayContext,
  next: Next,
  { path, query, headers, known, atLeast, signal }: Subrequest,
): Promise<FetchedAnswer> {
  const request = requestOf(ctx, query, headers);
  const response = new ServerResponse(request);
  // As Koa starts a request: no plugin has answered yet.
  response.statusCode = 404;
  const own = ctx.app.createContext(request, response) as unknown as GatewayContext;
  // No spread: core/README.md, "Objects of each request or row".
  own.state = Object.assign({}, ctx.state, {
    surface: { name: ctx.state.surface.name, path, query },
    outcome: { ...ctx.state.outcome },
    known,
    atLeast,
  });
  signal.addEventListener('abort', () => {
    response.destroyed = true;
    response.emit('close');
  });
  await next(own);
  if (response.headersSent) {
    throw new Error("A plugin behind a cache wrote to 'ctx.res'; it has to set 'ctx.status' and 'ctx.body'.");
  }
  const { tags, sequence } = own.state.answer ?? {};
  return { status: own.status, headers: response.getHeaders(), body: own.body, tags, sequence };
}

/**
 * Without a body; the end is there for who reads it. Node reads from the socket for a message, and destroys it with one that was
 * not read to its end; this socket is the client's.
 */
class CacheRequest extends IncomingMessage {
  override _read(): void {
    this.push(null);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    callback(error);
  }
}

/** A message of its own: `Object.create` of the client's costs 9 µs, because V8 prepares each prototype anew. */
function requestOf(ctx: GatewayContext, query: string, headers: IncomingHttpHeaders): IncomingMessage {
  const { req, originalUrl } = ctx;
  const request = new CacheRequest(req.socket);
  const [url = ''] = originalUrl.split('?', 1);
  request.method = 'GET';
  request.url = query === '' ? url : `${url}?${query}`;
  const { host = req.headers[':authority'] as string | undefined } = req.headers;
  request.headers = host === undefined ? headers : { host, ...headers };
  request.httpVersion = req.httpVersion;
  request.httpVersionMajor = req.httpVersionMajor;
  request.httpVersionMinor = req.httpVersionMinor;
  request.complete = true;
  return request;
}

/** Makes the fetched answer that of the request. */
export function sendFetched(ctx: GatewayContext, { status, headers, body }: FetchedAnswer): void {
  ctx.status = status;
  if (body !== undefined) ctx.body = body;
  // Koa adds a type where there is none.
  ctx.remove('content-type');
  for (const name in headers) {
    if (name === 'vary') ctx.vary(String(headers[name]));
    else ctx.res.setHeader(name, headers[name]!);
  }
}

/**
 * The body of an answer that several clients may get; undefined where it is larger, and for streams, cookies and what
 * is encoded already.
 */
export function sharedBody(
  { headers, body }: Pick<FetchedAnswer, 'headers' | 'body'>,
  maxBytes: number,
): Buffer | Pieces | undefined {
  if (headers['set-cookie'] !== undefined || headers['content-encoding'] !== undefined) return undefined;
  if (typeof body === 'string') return sharedBody({ headers, body: Buffer.from(body) }, maxBytes);
  if (!(Buffer.isBuffer(body) || body instanceof Pieces) || body.length > maxBytes) return undefined;
  return Buffer.isBuffer(body) ? ownBytes(body) : body;
}

/** @param omitted lower-case names of headers that the cache writes itself */
export function sharedHeaders(
  { headers }: FetchedAnswer,
  omitted: readonly string[],
): Record<string, string> {
  const shared: Record<string, string> = {};
  for (const name in headers) if (!omitted.includes(name)) shared[name] = String(headers[name]);
  return shared;
}

/** Ends an answer that no request takes. */
export function discard({ body }: FetchedAnswer): void {
  if (body instanceof Readable) body.destroy();
}

/** The same bytes in memory of their own: a small piece of a large buffer keeps all of it. */
export function ownBytes(body: Buffer): Buffer {
  if (body.buffer.byteLength <= 1.25 * body.length) return body;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return own;
}
