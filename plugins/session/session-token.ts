import { SESSION_COOKIE } from '../../core/contract.ts';
import { cookieValue } from '../http/cookie-value.ts';

/** 32 random bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** The secret of a session in a `Cookie` header; undefined where there is none, or several. */
export function sessionToken(header: string | undefined): string | undefined {
  const value = cookieValue(header, SESSION_COOKIE);
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}
