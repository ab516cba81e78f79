import { ServiceError } from '../../core/contract.ts';
import { definePlugin, SURFACES } from '../contract.ts';
import { bodyTooLarge, limitedBody } from './limited-body.ts';
import { settings } from './schema.ts';

const NULL_BYTE = /%00/;

/** Refuses requests that are too long, too large or cannot be decoded. */
export const plugin = definePlugin({
  name: 'limits',
  phase: 'edge',
  after: ['cors'],
  surfaces: SURFACES,
  gives: ['body', 'bodyBytes'],
  settings,
  setup({ urlBytes, headerBytes, headerCount, bodyBytes }) {
    return {
      onRequest({ req, res, state }) {
        const { url = '/', headers, rawHeaders, method } = req;
        if (url.length > urlBytes) {
          throw new ServiceError('urlTooLong', `The URL can have at most ${urlBytes} characters.`);
        }
        checkHeaders(rawHeaders, headerCount, headerBytes);
        checkTransfer(headers['transfer-encoding']);
        if (headers.host === undefined && req.httpVersion === '1.1') {
          throw new ServiceError('badRequest', "The request has no 'Host' header (RFC 9112 section 3.2).");
        }
        checkEncoding(state.surface.path);
        state.bodyBytes = bodyBytes;
        if (method === 'GET' || method === 'HEAD') {
          state.body = undefined;
          return 'next';
        }
        if (Number(headers['content-length'] ?? 0) > bodyBytes) throw bodyTooLarge(bodyBytes);
        const onFirstRead = /^100-continue$/i.test(headers.expect ?? '')
          ? () => res.writeContinue()
          : () => {};
        state.body = limitedBody(req, bodyBytes, onFirstRead);
        return 'next';
      },
    };
  },
});

function checkHeaders(rawHeaders: readonly string[], count: number, bytes: number): void {
  // HTTP/2 has the request line in front of them, as `:method` and so on (RFC 9113 section 8.3).
  let first = 0;
  while (rawHeaders[first]?.startsWith(':')) first += 2;
  if (rawHeaders.length - first > 2 * count) {
    throw new ServiceError('headersTooLarge', `A request can have at most ${count} headers.`);
  }
  let size = 2 * rawHeaders.length;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    // HTTP/2 has the URL among the headers; it has a limit of its own.
    if (name === ':path') size -= 4;
    else size += name.length + rawHeaders[at + 1]!.length;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (size > bytes) {
    throw new ServiceError('headersTooLarge', `The headers of a request can have at most ${bytes} bytes.`);
  }
  // A proxy in front may have used the other one (RFC 9112 section 3.2).
  if (hosts > 1) throw new ServiceError('badRequest', "The request has more than one 'Host' header.");
}

/**
 * The parser rejects an encoding only when it reads the body, and core would have the request by then. A proxy in front may have read the same body in another way (RFC 9112 section 6.1).
 */
function checkTransfer(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'chunked') return;
  throw new ServiceError('badRequest', "The only Transfer-Encoding that is understood is 'chunked'.");
}

/** Later plugins and core decode the path without a check. */
function checkEncoding(path: string): void {
  if (!path.includes('%')) return;
  if (NULL_BYTE.test(path)) throw new ServiceError('badRequest', 'The path holds a null byte (%00).');
  try {
    decodeURIComponent(path);
  } catch {
    throw new ServiceError('badRequest', 'The percent-encoding of the path is broken.');
  }
}
