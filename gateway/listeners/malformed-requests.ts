/**
 * Requests that break before they become one: the parser gives up, the client is too slow, or asks for
 * something HTTP servers do not do. They get the documented body as well, written by hand.
 */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../../core/contract.ts';
import { ERROR_CONTENT_TYPE, errorBody } from '../../plugins/error-body.ts';

/** There is no resource behind CONNECT; these are what any resource here can be read with. */
const NOT_CONNECT = 'GET, HEAD, OPTIONS';

export interface MalformedOptions {
  readonly newId: () => string;
  readonly onRefused: (fields: { id: string; status: number; reason: string; client?: string }) => void;
}

export function answerMalformed(server: Server | Http2SecureServer, options: MalformedOptions): void {
  /** What still arrives on a socket that was refused fails in the parser as well; the answer must get out first. */
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (refused.has(socket) && error.code !== 'ECONNRESET') return;
    // A client that hung up, or one that has half an answer already, is told nothing.
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegun(socket)) {
      socket.destroy();
      return;
    }
    refuse(socket, errorOf(error), error.code ?? error.message);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex | ServerResponse) => {
    const error = new ServiceError('methodNotAllowed', 'CONNECT is not supported: this is no proxy.');
    if ('setHeader' in socket) {
      const id = options.newId();
      const body = errorBody(error, 'none', id);
      socket.writeHead(405, { 'content-type': ERROR_CONTENT_TYPE, 'x-request-id': id, allow: NOT_CONNECT });
      socket.end(body);
    } else refuse(socket, error, 'CONNECT');
  });
  // Expectations other than 100-continue may be left aside (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );

  function refuse(socket: Duplex, error: ServiceError, reason: string): void {
    refused.add(socket);
    const id = options.newId();
    const body = errorBody(error, 'none', id);
    const head = [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      `Content-Type: ${ERROR_CONTENT_TYPE}`,
      `Content-Length: ${body.length}`,
      `X-Request-ID: ${id}`,
      ...(error.status === 405 ? [`Allow: ${NOT_CONNECT}`] : []),
      'Connection: close',
    ];
    const client = (socket as Socket).remoteAddress;
    options.onRefused({ id, status: error.status, reason, ...(client !== undefined && { client }) });
    socket.on('error', () => {});
    // Unread bytes at the close would make it a reset, and the client would never see the answer.
    socket.resume();
    socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
    // A client that goes on sending would otherwise keep the connection for as long as it likes.
    setTimeout(() => socket.destroy(), 1000).unref();
  }
}

function hasBegun(socket: Duplex): boolean {
  const { _httpMessage: message } = socket as unknown as { readonly _httpMessage?: ServerResponse | null };
  return message?.headersSent === true;
}

function errorOf(error: NodeJS.ErrnoException): ServiceError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('requestTimeout', 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headersTooLarge', 'The request line and the headers are too large.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('bodyTooLarge', 'The chunk extensions of the body are too large.');
    default:
      return new ServiceError('badRequest', 'The request is not well-formed HTTP.');
  }
}
