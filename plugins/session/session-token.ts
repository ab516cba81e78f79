import { SESSION_COOKIE } from '../../core/contract.ts';

/** 32 random bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** The secret of a session in a `Cookie` header (RFC 6265, 4.2.1); undefined where there is none, or several. */
export function sessionToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`));
  const value = values.length === 1 ? values[0]!.slice(SESSION_COOKIE.length + 1) : '';
  return TOKEN.test(value) ? value : undefined;
}
