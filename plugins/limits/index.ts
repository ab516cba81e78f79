import { ServiceError } from '../../core/contract.ts';
import { definePlugin, SURFACES } from '../contract.ts';
import { mayHaveBody } from '../unread-body.ts';
import { bodyTooLarge, limitedBody } from './limited-body.ts';
import { settings } from './schema.ts';

const NULL_BYTE = /%00/;
const NOTHING = () => {};

/** Refuses what is too long, too much or cannot be read, before anybody works on it. */
export const plugin = definePlugin({
  name: 'limits',
  phase: 'edge',
  after: ['cors'],
  surfaces: SURFACES,
  gives: ['body'],
  settings,
  setup({ urlBytes, headerBytes, headerCount, bodyBytes }) {
    return {
      fastPath: {
        handle({ req, state }) {
          const { url = '/', rawHeaders, headers } = req;
          if (url.length > urlBytes || headers.host === undefined || state.surface.path.includes('%')) {
            return 'fallback';
          }
          if (mayHaveBody(req) || !areHeadersFine(rawHeaders, headerCount, headerBytes)) return 'fallback';
          state.body = undefined;
          return 'next';
        },
      },
      handle: function limits(ctx, next) {
        const { req } = ctx;
        if (ctx.originalUrl.length > urlBytes) {
          throw new ServiceError('urlTooLong', `The URL can have at most ${urlBytes} characters.`);
        }
        checkHeaders(req.rawHeaders, headerCount, headerBytes);
        checkTransfer(req.headers['transfer-encoding']);
        if (req.httpVersion === '1.1' && req.headers.host === undefined) {
          throw new ServiceError('badRequest', "The request has no 'Host' header (RFC 9112 section 3.2).");
        }
        checkEncoding(ctx.state.surface.path);
        if (req.method === 'GET' || req.method === 'HEAD') {
          ctx.state.body = undefined;
          return next();
        }
        if (Number(req.headers['content-length'] ?? 0) > bodyBytes) throw bodyTooLarge(bodyBytes);
        const goOn = /^100-continue$/i.test(req.headers.expect ?? '')
          ? () => ctx.res.writeContinue()
          : NOTHING;
        ctx.state.body = limitedBody(req, bodyBytes, goOn);
        return next();
      },
    };
  },
});

/** The same question as below, without a reason; any doubt is a no. */
function areHeadersFine(rawHeaders: readonly string[], count: number, bytes: number): boolean {
  if (rawHeaders.length > 2 * count) return false;
  let size = 2 * rawHeaders.length;
  for (const text of rawHeaders) size += text.length;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts += 1;
  }
  return size <= bytes && hosts === 1;
}

function checkHeaders(rawHeaders: readonly string[], count: number, bytes: number): void {
  if (rawHeaders.length > 2 * count) {
    throw new ServiceError('headersTooLarge', `A request can have at most ${count} headers.`);
  }
  let size = 0;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    // HTTP/2 has the URL among the headers; it has a limit of its own.
    if (name === ':path') continue;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    size += name.length + rawHeaders[at + 1]!.length + 4;
  }
  if (size > bytes) {
    throw new ServiceError('headersTooLarge', `The headers of a request can have at most ${bytes} bytes.`);
  }
  // A proxy in front may have believed the other one (RFC 9112 section 3.2).
  if (hosts > 1) throw new ServiceError('badRequest', "The request has more than one 'Host' header.");
}

/**
 * The parser finds an encoding it cannot read only when it comes to the body, and by then core would have been
 * asked. A proxy in front may have read the same body in another way (RFC 9112 section 6.1).
 */
function checkTransfer(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'chunked') return;
  throw new ServiceError('badRequest', "The only Transfer-Encoding that is understood is 'chunked'.");
}

/** Every later reader of the path may decode it without asking. */
function checkEncoding(path: string): void {
  if (!path.includes('%')) return;
  if (NULL_BYTE.test(path)) throw new ServiceError('badRequest', 'The path holds a null byte (%00).');
  try {
    decodeURIComponent(path);
  } catch {
    throw new ServiceError('badRequest', 'The percent-encoding of the path is broken.');
  }
}
