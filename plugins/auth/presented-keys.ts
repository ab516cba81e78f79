import type { IncomingMessage } from 'node:http';
import { tokenHash } from '../../core/contract.ts';
import { authorizationOf, tokenIn } from '../http/bearer.ts';

/** The last header `Authorization` of a connection, and the hash of the token in it. */
interface Presented {
  readonly header: Buffer;
  readonly hash: string;
}

/**
 * The hash of the token that a request presents. A client sends the same key again and again, so each connection over
 * HTTP/1.1 remembers the last one, in plain text, for as long as it is open: to compare it costs less than to hash it.
 *
 * The returned function throws `unauthorized` where a request presents no token, or more than one.
 */
export function presentedKeys(): (request: IncomingMessage) => string {
  const latest = new WeakMap<object, Presented>();
  return (request) => {
    const header = authorizationOf(request);
    // Over HTTP/2 each request has a proxy of the socket of its own.
    const connection = request.httpVersionMajor === 1 ? request.socket : undefined;
    const last = connection && latest.get(connection);
    if (last !== undefined && header !== undefined && isSame(header, last.header)) return last.hash;
    const hash = tokenHash(tokenIn(header));
    if (connection) latest.set(connection, { header: Buffer.from(header!, 'latin1'), hash });
    return hash;
  };
}

/** Takes the same time wherever they differ: requests of several clients may share the connection of a proxy. */
function isSame(header: string, known: Buffer): boolean {
  if (header.length !== known.length) return false;
  let difference = 0;
  for (let at = 0; at < known.length; at += 1) difference |= header.charCodeAt(at) ^ known[at]!;
  return difference === 0;
}
