/**
 * Input that never becomes a request: the parser rejects it, the client is too slow, the version is unknown, or the method is
 * CONNECT. The response has the documented error body as well.
 */
import { IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../../core/contract.ts';
import { ERROR_CONTENT_TYPE, errorBody } from '../../plugins/http/error-body.ts';
import type { RequestHandler } from './http1-pipelining.ts';
import { writeWaiting } from './ready-writes.ts';

/** A 405 lists the methods (RFC 9110 section 15.5.6); CONNECT names no resource, so these are those of any. */
const ALLOW = 'GET, HEAD, OPTIONS';

export interface MalformedOptions {
  readonly newId: () => string;
  readonly onRefused: (fields: { id: string; status: number; reason: string; client?: string }) => void;
}

export function answerMalformed(server: Server | Http2SecureServer, options: MalformedOptions): void {
  /** Further bytes on a refused socket fail in the parser as well; the first response must get out. */
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (refused.has(socket) && error.code !== 'ECONNRESET') return;
    // The response to the request before it may wait.
    writeWaiting();
    if (error.code === 'ECONNRESET' || !socket.writable) {
      // The client has disconnected.
      socket.destroy();
      return;
    }
    refuse(socket, errorOf(error), error.code ?? error.message);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex | ServerResponse) => {
    writeWaiting();
    const error = new ServiceError('methodNotAllowed', 'CONNECT is not supported: this is no proxy.');
    if ('setHeader' in socket) respond(socket, error, options.newId(), { allow: ALLOW });
    else refuse(socket, error, 'CONNECT');
  });
  // A server may ignore expectations other than 100-continue (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );

  /** Responses to the requests before go first, or a client takes this one for theirs (RFC 9112 section 9.3.2). */
  function refuse(socket: Duplex, error: ServiceError, reason: string): void {
    refused.add(socket);
    const current = currentResponse(socket);
    if (current?.req.complete) current.once('close', () => refuse(socket, error, reason));
    else if (current?.headersSent || !socket.writable) socket.destroy();
    else send(socket, error, reason);
  }

  function send(socket: Duplex, error: ServiceError, reason: string): void {
    const id = options.newId();
    const body = errorBody(error, 'none', id);
    const head = [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      `Content-Type: ${ERROR_CONTENT_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-ID: ${id}`,
      ...(error.status === 405 ? [`Allow: ${ALLOW}`] : []),
      'Connection: close',
    ];
    const client = (socket as Socket).remoteAddress;
    options.onRefused({ id, status: error.status, reason, ...(client !== undefined && { client }) });
    socket.on('error', () => {});
    // Unread bytes would turn the close into a reset, and the client could lose the response.
    socket.resume();
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    // A client that keeps sending must not keep the connection.
    setTimeout(() => socket.destroy(), 1000).unref();
  }
}

/**
 * The parser also accepts HTTP/0.9 and HTTP/2.0 in the request line of a connection with HTTP/1, and handlers would take
 * such a request for a stream.
 */
export function refuseOtherVersions(handle: RequestHandler, options: MalformedOptions): RequestHandler {
  return (request, response) => {
    if (request.httpVersionMajor === 1 || !(request instanceof IncomingMessage)) {
      handle(request, response);
      return;
    }
    const id = options.newId();
    const client = request.socket.remoteAddress;
    const reason = `HTTP/${request.httpVersion}`;
    options.onRefused({ id, status: 400, reason, ...(client !== undefined && { client }) });
    respond(response, notWellFormed(), id, { connection: 'close' });
  };
}

function respond(
  response: ServerResponse,
  error: ServiceError,
  id: string,
  headers: Readonly<Record<string, string>>,
): void {
  const body = errorBody(error, 'none', id);
  response.writeHead(error.status, { 'content-type': ERROR_CONTENT_TYPE, 'x-request-id': id, ...headers });
  response.end(body);
}

function notWellFormed(): ServiceError {
  return new ServiceError('badRequest', 'The request is not well-formed HTTP.');
}

/** Of the request that the server works on, on a connection with HTTP/1; it may be the malformed one, read in part. */
function currentResponse(socket: Duplex): ServerResponse | null {
  return '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null;
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
      return notWellFormed();
  }
}
