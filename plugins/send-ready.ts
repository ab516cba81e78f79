import {
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Exchange, Facets, GatewayContext } from './contract.ts';

/** Fields in which Node keeps the head of an answer; where one is missing or other than here, Node writes it itself. */
interface Head {
  _header?: string | null;
  _headerSent?: boolean;
  readonly _keepAliveTimeout?: number;
}

/** Status lines with headers, by their blocks. */
const texts = new WeakMap<readonly string[], string>();
/** The last line of each header that plugins set, most of which never change; bounded by NAMES. */
const lines = new Map<string, { readonly value: string; readonly line: string }>();
const NAMES = 100;
/** Those of which a response may have several: each is sent. */
const REPEATED: ReadonlySet<string> = new Set(['vary', 'set-cookie', 'link']);

/**
 * Sends a cached response: a block of headers (names and values in turn, never changed) and a body. On the
 * fast path head and body are written to the connection unchanged: `writeHead` and `end` check each header again
 * and cost 2 µs more, of 14. The client gets the same lines as from those, and the connection is in the same state as after those.
 *
 * @throws TypeError, before anything is sent, where a header is not valid
 */
export function sendReady(
  exchange: Exchange<Pick<Facets, 'outcome'>>,
  status: number,
  block: readonly string[],
  body: Buffer,
): 'responded' {
  const { req, res, state, fastHeaders } = exchange;
  if (fastHeaders === undefined)
    return sendWithKoa(exchange as unknown as GatewayContext, status, block, body);
  if (status !== 304) state.outcome.bytes = body.length;
  const sent = status === 304 || req.method === 'HEAD' ? undefined : body;
  const { socket } = res;
  const head = res as unknown as Head;
  if (!isOrdinary(req, res, head) || !socket?.writable) {
    addTo(res, [...fastHeaders, ...block]);
    res.writeHead(status).end(sent);
    return 'responded';
  }
  let text = texts.get(block);
  if (text === undefined) {
    text = inOnePiece(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${textOf(block)}`);
    texts.set(block, text);
  }
  for (let at = 0; at < fastHeaders.length; at += 2) text += lineOf(fastHeaders[at]!, fastHeaders[at + 1]!);
  text += endOfHead(head._keepAliveTimeout);
  res.statusCode = status;
  head._header = text;
  head._headerSent = true;
  socket.cork();
  socket.write(text, 'latin1');
  if (sent !== undefined) socket.write(sent);
  // With TLS the socket always has something left: the empty write of `end` joins these.
  const isSecure = (socket as Partial<TLSSocket>).encrypted === true;
  if (isSecure) res.end();
  socket.uncork();
  if (!isSecure) finish(req, res, socket);
  return 'responded';
}

/** What Node keeps of a request, and its parser of the request that it reads. */
interface Incoming {
  complete: boolean;
  _consuming: boolean;
  readonly _eventsCount: number;
}
interface Parser {
  incoming: unknown;
}

/**
 * Ends an answer that has been written. `end` ends the stream of the request's body as well, over several turns of the
 * queue of ticks: 3.6 of 33.4 µs of CPU of a cached listing (least of 12 turns, wrk with 32 connections). Where the
 * kernel has the whole answer, the request has no body and nobody listens to it, it is finished here: the parser is told
 * that no body follows, and the response that it was sent.
 */
function finish(req: IncomingMessage, res: ServerResponse, socket: Socket): void {
  const { parser } = socket as Socket & { readonly parser?: Parser | null };
  const incoming = req as unknown as Incoming;
  if (socket.writableLength > 0 || parser?.incoming !== req || incoming._eventsCount !== 0) {
    res.end();
    return;
  }
  incoming.complete = true;
  incoming._consuming = true;
  parser.incoming = null;
  (res as { finished: boolean }).finished = true;
  res.emit('finish');
}

function sendWithKoa(
  ctx: GatewayContext,
  status: number,
  block: readonly string[],
  body: Buffer,
): 'responded' {
  setHeaders(ctx, block);
  ctx.status = status;
  ctx.body = status === 304 ? null : body;
  return 'responded';
}

/** @param block names and values in turn; other plugins may have named in `Vary` what else the answer depends on */
export function setHeaders(ctx: GatewayContext, block: readonly string[]): void {
  for (let at = 0; at < block.length; at += 2) {
    if (block[at] === 'vary') ctx.vary(block[at + 1]!);
    else ctx.res.setHeader(block[at]!, block[at + 1]!);
  }
}

/** The connection stays open, and no response has begun. */
function isOrdinary(req: IncomingMessage, res: ServerResponse, head: Head): boolean {
  return (
    res.shouldKeepAlive &&
    req.httpVersionMinor === 1 &&
    req.headers.expect === undefined &&
    head._header === null &&
    head._headerSent === false &&
    typeof head._keepAliveTimeout === 'number' &&
    res.getHeaderNames().length === 0
  );
}

/**
 * With the headers that have been set before: `writeHead` with an array loses the first of two values beside such, and
 * a response of HTTP/2 takes no array and accepts line breaks (Node 20.20).
 */
function addTo(res: ServerResponse, pairs: readonly string[]): void {
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]!;
    const value = pairs[at + 1]!;
    validateHeaderValue(name, value);
    if (REPEATED.has(name.toLowerCase())) res.appendHeader(name, value);
    else res.setHeader(name, value);
  }
}

function textOf(block: readonly string[]): string {
  let text = '';
  for (let at = 0; at < block.length; at += 2) text += madeLine(block[at]!, block[at + 1]!);
  return text;
}

function lineOf(name: string, value: string): string {
  const last = lines.get(name);
  if (last?.value === value) return last.line;
  const line = madeLine(name, value);
  if (last !== undefined || lines.size < NAMES) lines.set(name, { value, line });
  return line;
}

/** @throws TypeError */
function madeLine(name: string, value: string): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}

/** A concatenated string stays a tree of its parts, which V8 traverses at each write. */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

let second = 0;
let timeout = -1;
let end = '';

/** What Node adds to a head; the date is made once a second. */
function endOfHead(keepAliveTimeout = 0): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second || keepAliveTimeout !== timeout) {
    second = now;
    timeout = keepAliveTimeout;
    const seconds = Math.floor(keepAliveTimeout / 1000);
    end = `Date: ${new Date(now * 1000).toUTCString()}\r\nConnection: keep-alive\r\n`;
    end = inOnePiece(end + (keepAliveTimeout > 0 ? `Keep-Alive: timeout=${seconds}\r\n\r\n` : '\r\n'));
  }
  return end;
}
