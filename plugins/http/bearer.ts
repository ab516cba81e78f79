import type { IncomingMessage } from 'node:http';
import { ServiceError, tokenHash } from '../../core/contract.ts';
import type { ClientFacet, PluginServices } from '../contract.ts';

/** Longer than any key there is; a longer one is not looked up. */
const LONGEST_TOKEN = 1024;

/**
 * The token of an `Authorization` header, scheme in any case (RFC 9110 section 11.1; older clients send
 * `bearer`). Undefined where there is no header or it is not a bearer token.
 */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.length < 8 || header.length > LONGEST_TOKEN) return undefined;
  if (header.charCodeAt(6) !== 0x20 || header.slice(0, 6).toLowerCase() !== 'bearer') return undefined;
  const token = header.slice(7).trim();
  // A key is one word of visible ASCII characters (RFC 6750 section 2.1).
  return /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

/**
 * Whether a request has at most one `Authorization` header. Node keeps the first of several and a proxy in front
 * may have checked the last, so several are as bad as a wrong one.
 */
export function isSingle({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') count += 1;
  }
  return count <= 1;
}

/** @throws unauthorized where there are several */
export function authorizationOf(request: IncomingMessage): string | undefined {
  if (isSingle(request)) return request.headers.authorization;
  throw unauthorized("The request has more than one 'Authorization' header.");
}

/** @throws unauthorized where there is none, or more than one */
export function tokenOf(request: IncomingMessage): string {
  return tokenIn(authorizationOf(request));
}

/** The token of a header. @throws unauthorized where there is none */
export function tokenIn(header: string | undefined): string {
  const token = bearerToken(header);
  if (token === undefined) throw unauthorized("The request needs the header 'Authorization: Bearer <key>'.");
  return token;
}

/** The 401 of every surface (spec 7: missing or invalid access token). */
export function unauthorized(message: string): ServiceError {
  return new ServiceError('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}

/**
 * Where a surface takes the admin token; wrong ones are counted.
 *
 * @throws unauthorized unless the request carries the admin token; rateLimited where too many wrong ones came from
 *   the client's address, also with the right one
 */
export async function requireAdminToken(
  request: IncomingMessage,
  client: ClientFacet,
  { core, failedAttempts }: Pick<PluginServices, 'core' | 'failedAttempts'>,
): Promise<void> {
  const token = bearerToken(authorizationOf(request));
  if (token === undefined) {
    throw unauthorized("The request needs the header 'Authorization: Bearer <admin token>'.");
  }
  failedAttempts.refuseBlocked(client);
  if (await core.access.isAdminToken(tokenHash(token))) return;
  throw failedAttempts.refusal(client, unauthorized('The admin token is not the one of this service.'));
}
