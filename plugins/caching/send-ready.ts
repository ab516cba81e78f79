import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Exchange, Facets, GatewayContext } from '../contract.ts';
import type { Pieces } from './pieces.ts';

/** Fields in which Node keeps the head of an answer; where one is missing or other than here, Node writes it itself. */
interface Head {
  _header?: string | null;
  _headerSent?: boolean;
  readonly _keepAliveTimeout?: number;
}

/** Status lines with headers, by their blocks. */
const heads = new WeakMap<readonly string[], Headers1>();
interface Headers1 {
  readonly text: string;
  /** What plugins had set before the last answer: its names are not those of the block, and occur once. */
  fastHeaders: readonly string[] | undefined;
}
/** The same for HTTP/2, with what plugins had set before. */
const objects = new WeakMap<readonly string[], Headers2>();
interface Headers2 {
  readonly fastHeaders: readonly string[];
  readonly headers: OutgoingHttpHeaders;
  /** Names that occur more than once. */
  readonly repeated: ReadonlySet<string>;
}
/** The last line of each header that plugins set, most of which never change; bounded by NAMES. */
const lines = new Map<string, { readonly value: string; readonly line: string }>();
const NAMES = 100;
/** Those of which a response may have several: each is sent. */
const REPEATED: ReadonlySet<string> = new Set(['vary', 'set-cookie', 'link']);

/**
 * Sends a cached response: a block of headers (names and values in turn, never changed) and a body. On the
 * fast path head and body are written to the connection unchanged: `writeHead` and `end` check each header again. The
 * client gets the same lines as from those, and the connection is in the same state as after those.
 *
 * @throws TypeError, before anything is sent, where a header is not valid
 */
export function sendReady(
  exchange: Exchange<Pick<Facets, 'outcome'>>,
  status: number,
  block: readonly string[],
  body: Buffer | Pieces,
): 'responded' {
  const { req, res, state, fastHeaders } = exchange;
  if (fastHeaders === undefined || exchange.fastSend === undefined || !Buffer.isBuffer(body))
    return sendWithKoa(exchange as unknown as GatewayContext, status, block, body);
  if (status !== 304) state.outcome.bytes = body.length;
  const sent = status === 304 || req.method === 'HEAD' ? undefined : body;
  const head = isOrdinary(req, res) ? headOf(res, status, block, fastHeaders) : undefined;
  if (head !== undefined) exchange.fastSend(status, head, sent);
  else if (isOrdinary2(req, res)) {
    res.stream.respond(headers2(status, block, fastHeaders), { endStream: sent === undefined });
    // The log and the metrics read it here.
    res.statusCode = status;
    res.end(sent);
  } else {
    addTo(res, [...fastHeaders, ...block]);
    res.writeHead(status).end(sent);
  }
  return 'responded';
}

/** Undefined where a header has several values, of which the last is sent. */
function headOf(
  res: ServerResponse,
  status: number,
  block: readonly string[],
  fastHeaders: readonly string[],
): string | undefined {
  let head = heads.get(block);
  if (head === undefined) {
    const text = inOnePiece(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${textOf(block)}`);
    head = { text, fastHeaders: undefined };
    heads.set(block, head);
  }
  if (!hasSameNames(head.fastHeaders, fastHeaders)) {
    if ([...repeatedNames([...fastHeaders, ...block])].some((name) => !REPEATED.has(name))) return undefined;
    head.fastHeaders = [...fastHeaders];
  }
  let { text } = head;
  for (let at = 0; at < fastHeaders.length; at += 2) text += lineOf(fastHeaders[at]!, fastHeaders[at + 1]!);
  return text + endOfHead((res as unknown as Head)._keepAliveTimeout);
}

function hasSameNames(one: readonly string[] | undefined, other: readonly string[]): boolean {
  if (one?.length !== other.length) return false;
  for (let at = 0; at < other.length; at += 2) if (one[at] !== other[at]) return false;
  return true;
}

function sendWithKoa(
  ctx: GatewayContext,
  status: number,
  block: readonly string[],
  body: Buffer | Pieces,
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

/** Over HTTP/1.1; the connection stays open, and no response has begun. */
function isOrdinary(req: IncomingMessage, res: ServerResponse): boolean {
  const head = res as unknown as Head;
  return (
    req.httpVersionMajor === 1 &&
    req.httpVersionMinor === 1 &&
    res.shouldKeepAlive &&
    res.socket?.writable === true &&
    req.headers.expect === undefined &&
    head._header === null &&
    head._headerSent === false &&
    typeof head._keepAliveTimeout === 'number' &&
    res.getHeaderNames().length === 0
  );
}

/** The same over HTTP/2. */
function isOrdinary2(
  { httpVersionMajor }: IncomingMessage,
  res: object,
): res is Pick<Http2ServerResponse, 'stream' | 'end'> {
  if (httpVersionMajor !== 2) return false;
  const { stream, headersSent, getHeaderNames } = res as Http2ServerResponse;
  return !stream.destroyed && !stream.closed && !headersSent && getHeaderNames.call(res).length === 0;
}

/**
 * Headers for `respond`, which accepts line breaks (Node 20.20) and refuses `connection`, which `setHeader` leaves out.
 * Those of the last response are copied, with what differs, the id of the request.
 *
 * @throws TypeError
 */
function headers2(
  status: number,
  block: readonly string[],
  fastHeaders: readonly string[],
): OutgoingHttpHeaders {
  const last = objects.get(block);
  if (last !== undefined && last.fastHeaders.length === fastHeaders.length) {
    const headers = { ...last.headers };
    let at = 0;
    for (; at < fastHeaders.length; at += 2) {
      const name = fastHeaders[at]!;
      const value = fastHeaders[at + 1]!;
      if (name !== last.fastHeaders[at]) break;
      if (value === last.fastHeaders[at + 1]) continue;
      const key = name.toLowerCase();
      if (last.repeated.has(key) || headers[key] !== last.fastHeaders[at + 1]) break;
      validateHeaderValue(name, value);
      headers[key] = value;
    }
    if (at === fastHeaders.length) return headers;
  }
  const pairs = [...fastHeaders, ...block];
  const headers = { ':status': status, ...merged(pairs) };
  objects.set(block, { fastHeaders: [...fastHeaders], headers, repeated: repeatedNames(pairs) });
  return headers;
}

function repeatedNames(pairs: readonly string[]): Set<string> {
  const names = pairs.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return new Set(names.filter((name, at) => names.indexOf(name) < at));
}

function merged(pairs: readonly string[]): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]!.toLowerCase();
    const value = pairs[at + 1]!;
    validateHeaderName(name);
    validateHeaderValue(name, value);
    const before = headers[name];
    if (before !== undefined && REPEATED.has(name))
      headers[name] = [before as string | string[], value].flat();
    else if (name !== 'connection') headers[name] = value;
  }
  return headers;
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
