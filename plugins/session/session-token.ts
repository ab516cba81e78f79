import { sessionCookieName } from '../../core/contract.ts';
import { cookieValue } from '../http/cookie-value.ts';

/** 32 random bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

/**
 * The secret of a session in a `Cookie` header; undefined where there is none, or several.
 *
 * @param console base URL of the console
 */
export function sessionToken(header: string | undefined, console: string): string | undefined {
  const value = cookieValue(header, sessionCookieName(console));
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}
