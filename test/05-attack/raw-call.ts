import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A request as it goes over the wire: header lines are kept as they are, names, repetitions and nonsense included. */
export interface RawRequest {
  readonly method: string;
  /** The request target. */
  readonly target: string;
  /** Without Host, Connection and Content-Length, which are added unless given. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer;
}

export interface RawReply {
  readonly status: number;
  /** Lower-case names; of repeated ones the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const TIMEOUT_MS = 20_000;
const FRAMING = /^\s*(content-length|transfer-encoding|expect|upgrade|connection|host)\s*$/i;

/** True when a header line changes where the request ends, so that the service may wait for more of it. */
export function changesFraming({ headers }: RawRequest): boolean {
  return headers.some(([name, value]) => FRAMING.test(name) || /[\r\n\0]/.test(name + value));
}

/**
 * Sends it on a connection of its own.
 * @returns undefined when the connection was closed without an answer
 */
export function rawCall(port: number, request: RawRequest): Promise<RawReply | undefined> {
  const given = new Set(request.headers.map(([name]) => name.trim().toLowerCase()));
  const lines = [
    ...(given.has('host') ? [] : [['Host', 'localhost'] as const]),
    ...(given.has('connection') ? [] : [['Connection', 'close'] as const]),
    ...(request.body && !given.has('content-length')
      ? [['Content-Length', `${request.body.length}`] as const]
      : []),
    ...request.headers,
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${request.method} ${request.target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return new Promise((resolve, reject) => {
    // A client that shuts its half down has sent all; the answer still comes.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`));
    }, TIMEOUT_MS);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      try {
        resolve(parse(Buffer.concat(chunks)));
      } catch (error) {
        reject(error as Error);
      }
    });
    socket.on('end', () => socket.end());
    socket.on('connect', () => {
      socket.write(head);
      if (request.body) socket.write(request.body);
      if (changesFraming(request)) setTimeout(() => socket.end(), 50);
    });
  });
}

function parse(bytes: Buffer): RawReply | undefined {
  if (bytes.length === 0) return undefined;
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`no HTTP: ${JSON.stringify(bytes.toString('latin1', 0, 200))}`);
  const [line = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(line.split(' ')[1]);
  const rest = bytes.subarray(end + 4);
  // 100 Continue comes before the answer.
  if (status === 100) return parse(rest);
  const headers = Object.fromEntries(
    lines.map((header) => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
    }),
  );
  const body = headers['transfer-encoding'] === 'chunked' ? joinChunks(rest) : rest;
  return { status, headers, body: unpacked(body, headers['content-encoding']) };
}

function unpacked(body: Buffer, encoding: string | undefined): Buffer {
  if (body.length === 0) return body;
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'gzip' ? gunzipSync(body) : body;
}

function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (end < 0 || Number.isNaN(size)) throw new Error('a chunked answer breaks off');
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
